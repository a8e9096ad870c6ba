#include "merge_device.h"
#include "params.h"

MERGE_KERNELS(merge_state, MERGE_TWO)
