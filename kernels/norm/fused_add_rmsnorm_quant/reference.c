#include <math.h>

#include "op/op.h"

enum { BATCH = 1, HIDDEN };
enum { OUT, INPUT, RESIDUAL, WEIGHT, SCALE, EPS };

void kiln_reference_fused_add_rmsnorm_quant(const struct kiln_reference *data);

void
kiln_reference_fused_add_rmsnorm_quant(const struct kiln_reference *data)
{
  const int64_t hidden = data->axis[HIDDEN];
  const double scale = data->real[SCALE] ? *data->real[SCALE] : kiln_op_real(data->op, data->numbers, SCALE);
  const double limit = data->dtype[OUT] == KILN_DTYPE_E4M3 ? 448 : 57344;
  for (int64_t row = 0; row < data->axis[BATCH]; row++) {
    const double *input = data->real[INPUT] + row * hidden;
    double *residual = data->real[RESIDUAL] + row * hidden, *out = data->real[OUT] + row * hidden, squares = 0;
    for (int64_t i = 0; i < hidden; i++) {
      residual[i] += input[i];
      squares += residual[i] * residual[i];
    }
    const double factor = 1 / sqrt(squares / (double)hidden + kiln_op_real(data->op, data->numbers, EPS)) / scale;
    for (int64_t i = 0; i < hidden; i++)
      out[i] = fmin(fmax(residual[i] * factor * data->real[WEIGHT][i], -limit), limit);
  }
}
