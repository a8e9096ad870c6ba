#include "norm_device.h"
#include "params.h"

NORM_KERNELS(fused_add_rmsnorm, KILN_T, KILN_T, KILN_T, NORM_RESIDUAL)
