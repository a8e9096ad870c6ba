#include <math.h>

#include "op/op.h"

enum { ROWS = 1, HIDDEN };
enum { OUT, INPUT };

void kiln_reference_silu_and_mul(const struct kiln_reference *data);

void
kiln_reference_silu_and_mul(const struct kiln_reference *data)
{
  const int64_t hidden = data->axis[HIDDEN];
  for (int64_t row = 0; row < data->axis[ROWS]; row++)
    for (int64_t i = 0; i < hidden; i++) {
      const double x = data->real[INPUT][2 * row * hidden + i];
      data->real[OUT][row * hidden + i] = x / (1 + exp(-x)) * data->real[INPUT][(2 * row + 1) * hidden + i];
    }
}
