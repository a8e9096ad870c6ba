#include "rope_reference.h"

enum { TOKENS = 1, Q_HEADS, K_HEADS, HEAD, ROTARY, SEQUENCES };
enum { INDPTR = 4, OFFSETS, ROTARY_DIM, INTERLEAVE, SCALE, THETA, LOW_FREQ, HIGH_FREQ, CONTEXT };

void kiln_reference_apply_llama31_rope(const struct kiln_reference *data);

void
kiln_reference_apply_llama31_rope(const struct kiln_reference *data)
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
      .theta = kiln_op_real(data->op, data->numbers, THETA),
      .low = kiln_op_real(data->op, data->numbers, LOW_FREQ),
      .high = kiln_op_real(data->op, data->numbers, HIGH_FREQ),
      .context = kiln_op_real(data->op, data->numbers, CONTEXT)};
  rope_reference_run(&rope, data->axis[Q_HEADS], data->axis[K_HEADS]);
}
