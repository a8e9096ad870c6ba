/* What the kernels take: kernels/include/merge_params.h. */
#include "merge_params.h"
