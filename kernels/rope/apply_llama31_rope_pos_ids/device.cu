#include "params.h"
#include "rope_device.h"

ROPE_KERNELS(apply_llama31_rope_pos_ids, rope_by_position)
