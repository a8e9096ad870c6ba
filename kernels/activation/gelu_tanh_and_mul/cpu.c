#include "gate_cpu.h"
#include "params.h"

static inline float
activate(float x)
{
  return x / (1 + expf(-1.5957691216F * (x + 0.044715F * x * x * x)));
}

void
gelu_tanh_and_mul(const struct gate_params *p)
{
  gate_rows(p, activate);
}
