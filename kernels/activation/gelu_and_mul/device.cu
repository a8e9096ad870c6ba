#include "gate_device.h"
#include "params.h"

static __device__ __forceinline__ float
activate(float x)
{
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

GATE_KERNELS(gelu_and_mul)
