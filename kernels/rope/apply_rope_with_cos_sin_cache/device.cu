#include "params.h"
#include "rope_device.h"

ROPE_KERNELS(apply_rope_with_cos_sin_cache, rope_by_cache)
