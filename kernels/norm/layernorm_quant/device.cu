#include "norm_device.h"
#include "params.h"

NORM_KERNELS(layernorm_quant, KILN_T, f32, KILN_O, NORM_MEAN | NORM_SCALED)
