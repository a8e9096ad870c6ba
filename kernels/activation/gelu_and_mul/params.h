/* What the kernels take: kernels/include/gate_params.h. */
#include "gate_params.h"
