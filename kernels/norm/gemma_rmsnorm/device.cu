#include "norm_device.h"
#include "params.h"

NORM_KERNELS(gemma_rmsnorm, KILN_T, KILN_T, KILN_T, NORM_ONE_PLUS | NORM_HEADS)
