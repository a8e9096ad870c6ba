#include "norm_device.h"
#include "params.h"

NORM_KERNELS(layernorm, KILN_T, f32, KILN_T, NORM_MEAN)
