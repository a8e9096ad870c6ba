#include "params.h"
#include "rope_cpu.h"

void
apply_rope_pos_ids(const struct rope_params *p)
{
  rope_tokens(p);
}
