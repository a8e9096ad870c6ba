#include "gate_cpu.h"
#include "params.h"

static inline float
activate(float x)
{
  return 0.5F * x * (1 + erff(x * 0.70710678F));
}

void
gelu_and_mul(const struct gate_params *p)
{
  gate_rows(p, activate);
}
