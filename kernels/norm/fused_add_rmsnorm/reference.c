#include <math.h>

#include "op/op.h"

enum { BATCH = 1, HIDDEN };
enum { INPUT, RESIDUAL, WEIGHT, EPS };

void kiln_reference_fused_add_rmsnorm(const struct kiln_reference *data);

void
kiln_reference_fused_add_rmsnorm(const struct kiln_reference *data)
{
  const int64_t hidden = data->axis[HIDDEN];
  for (int64_t row = 0; row < data->axis[BATCH]; row++) {
    const double *input = data->real[INPUT] + row * hidden;
    double *residual = data->real[RESIDUAL] + row * hidden, *out = data->real[INPUT] + row * hidden, squares = 0;
    for (int64_t i = 0; i < hidden; i++) {
      residual[i] += input[i];
      squares += residual[i] * residual[i];
    }
    const double factor = 1 / sqrt(squares / (double)hidden + kiln_op_real(data->op, data->numbers, EPS));
    for (int64_t i = 0; i < hidden; i++)
      out[i] = residual[i] * factor * data->real[WEIGHT][i];
  }
}
