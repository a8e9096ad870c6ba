#include "rope_reference.h"

enum { TOKENS = 1, Q_HEADS, K_HEADS, HEAD, ROTARY, SEQUENCES };
enum { INDPTR = 4, OFFSETS, ROTARY_DIM, INTERLEAVE, SCALE, THETA };

void kiln_reference_apply_rope(const struct kiln_reference *data);

void
kiln_reference_apply_rope(const struct kiln_reference *data)
{
  const struct rope_reference rope = {.data = data,
      .tokens = data->axis[TOKENS],
      .head_dim = data->axis[HEAD],
      .rotary_dim = data->axis[ROTARY],
      .interleave = kiln_op_integer(data->op, data->numbers, INTERLEAVE) != 0,
      .indptr = INDPTR,
      .offsets = OFFSETS,
      .sequences = data->axis[SEQUENCES],
      .scale = kiln_op_real(data->op, data->numbers, SCALE),
      .theta = kiln_op_real(data->op, data->numbers, THETA)};
  rope_reference_run(&rope, data->axis[Q_HEADS], data->axis[K_HEADS]);
}
