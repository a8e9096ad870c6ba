#include "norm_device.h"
#include "params.h"

NORM_KERNELS(rmsnorm_quant, KILN_T, KILN_T, KILN_O, NORM_SCALED)
