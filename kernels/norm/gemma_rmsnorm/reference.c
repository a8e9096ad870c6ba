#include <math.h>

#include "op/op.h"

enum { BATCH = 1, HEADS, HIDDEN };
enum { OUT, INPUT, WEIGHT, EPS };

void kiln_reference_gemma_rmsnorm(const struct kiln_reference *data);

void
kiln_reference_gemma_rmsnorm(const struct kiln_reference *data)
{
  const int64_t hidden = data->axis[HIDDEN];
  for (int64_t row = 0; row < data->axis[BATCH] * data->axis[HEADS]; row++) {
    const double *input = data->real[INPUT] + row * hidden;
    double *out = data->real[OUT] + row * hidden, squares = 0;
    for (int64_t i = 0; i < hidden; i++)
      squares += input[i] * input[i];
    const double factor = 1 / sqrt(squares / (double)hidden + kiln_op_real(data->op, data->numbers, EPS));
    for (int64_t i = 0; i < hidden; i++)
      out[i] = input[i] * factor * (1 + data->real[WEIGHT][i]);
  }
}
