#include "gate_device.h"
#include "params.h"

static __device__ __forceinline__ float
activate(float x)
{
  return times_logistic(x, x);
}

GATE_KERNELS(silu_and_mul)
