#include <math.h>

#include "op/op.h"

enum { BATCH = 1, HIDDEN };
enum { OUT, INPUT, GEMMA, BETA, EPS };

void kiln_reference_layernorm(const struct kiln_reference *data);

void
kiln_reference_layernorm(const struct kiln_reference *data)
{
  const int64_t hidden = data->axis[HIDDEN];
  for (int64_t row = 0; row < data->axis[BATCH]; row++) {
    const double *input = data->real[INPUT] + row * hidden;
    double *out = data->real[OUT] + row * hidden, mean = 0, squares = 0;
    for (int64_t i = 0; i < hidden; i++)
      mean += input[i] / (double)hidden;
    for (int64_t i = 0; i < hidden; i++)
      squares += (input[i] - mean) * (input[i] - mean);
    const double factor = 1 / sqrt(squares / (double)hidden + kiln_op_real(data->op, data->numbers, EPS));
    for (int64_t i = 0; i < hidden; i++)
      out[i] = ((input[i] - mean) * factor * data->real[GEMMA][i] + data->real[BETA][i]);
  }
}
