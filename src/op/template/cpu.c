#include "kiln_cpu.h"
#include "params.h"

void
new_op(const struct new_op_params *p)
{
  for (long long row = 0; row < p->rows; row++) {
    const void *input = KILN_AT_CONST(KILN_T, p->input, row * p->input_stride);
    void *out = KILN_AT(KILN_T, p->out, row * p->out_stride);
    for (int i = 0; i < p->columns; i++)
      KILN_STORE(KILN_T, out, i, KILN_LOAD(KILN_T, input, i) * p->factor);
  }
}
