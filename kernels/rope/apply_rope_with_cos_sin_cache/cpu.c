#include "params.h"
#include "rope_cpu.h"

void
apply_rope_with_cos_sin_cache(const struct rope_params *p)
{
  rope_tokens(p);
}
