#include "merge_device.h"
#include "params.h"

MERGE_KERNELS(merge_states, MERGE_MANY)
