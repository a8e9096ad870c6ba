#include "params.h"
#include "rope_cpu.h"

void
apply_llama31_rope(const struct rope_params *p)
{
  rope_tokens(p);
}
