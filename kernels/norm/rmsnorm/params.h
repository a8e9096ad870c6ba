/* What the kernels take: kernels/include/norm_params.h. */
#include "norm_params.h"
