#include "gate_cpu.h"
#include "params.h"

static inline float
activate(float x)
{
  return x / (1 + expf(-x));
}

void
silu_and_mul(const struct gate_params *p)
{
  gate_rows(p, activate);
}
