#include "norm_device.h"
#include "params.h"

NORM_KERNELS(fused_add_rmsnorm_quant, KILN_T, KILN_T, KILN_O, NORM_RESIDUAL | NORM_SCALED)
