/* What the kernels take: kernels/include/rope_params.h. */
#include "rope_params.h"
