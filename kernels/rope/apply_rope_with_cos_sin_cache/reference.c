#include "rope_reference.h"

enum { TOKENS = 1, Q_HEADS, K_HEADS, HEAD, ROTARY };
enum { COS_SIN_CACHE = 4, POS_IDS, INTERLEAVE };

void kiln_reference_apply_rope_with_cos_sin_cache(const struct kiln_reference *data);

void
kiln_reference_apply_rope_with_cos_sin_cache(const struct kiln_reference *data)
{
  const struct rope_reference rope = {.data = data,
      .tokens = data->axis[TOKENS],
      .head_dim = data->axis[HEAD],
      .rotary_dim = data->axis[ROTARY],
      .interleave = kiln_op_integer(data->op, data->numbers, INTERLEAVE) != 0,
      .positions = POS_IDS,
      .cache = data->real[COS_SIN_CACHE]};
  rope_reference_run(&rope, data->axis[Q_HEADS], data->axis[K_HEADS]);
}
