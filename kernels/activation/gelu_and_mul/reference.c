#include <math.h>

#include "op/op.h"

enum { ROWS = 1, HIDDEN };
enum { OUT, INPUT };

void kiln_reference_gelu_and_mul(const struct kiln_reference *data);

void
kiln_reference_gelu_and_mul(const struct kiln_reference *data)
{
  const int64_t hidden = data->axis[HIDDEN];
  for (int64_t row = 0; row < data->axis[ROWS]; row++)
    for (int64_t i = 0; i < hidden; i++) {
      const double x = data->real[INPUT][2 * row * hidden + i];
      data->real[OUT][row * hidden + i] =
          0.5 * x * (1 + erf(x / sqrt(2))) * data->real[INPUT][(2 * row + 1) * hidden + i];
    }
}
