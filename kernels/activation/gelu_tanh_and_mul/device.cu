#include "gate_device.h"
#include "params.h"

static __device__ __forceinline__ float
activate(float x)
{
  return times_logistic(x, 1.5957691216f * (x + 0.044715f * x * x * x));
}

GATE_KERNELS(gelu_tanh_and_mul)
