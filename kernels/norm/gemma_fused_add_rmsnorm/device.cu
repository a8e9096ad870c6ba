#include "norm_device.h"
#include "params.h"

NORM_KERNELS(gemma_fused_add_rmsnorm, KILN_T, KILN_T, KILN_T, NORM_RESIDUAL | NORM_ONE_PLUS)
