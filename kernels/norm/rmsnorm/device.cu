#include "norm_device.h"
#include "params.h"

NORM_KERNELS(rmsnorm, KILN_T, KILN_T, KILN_T, NORM_HEADS)
