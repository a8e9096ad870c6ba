#include "params.h"
#include "rope_device.h"

ROPE_KERNELS(apply_llama31_rope, rope_by_indptr)
