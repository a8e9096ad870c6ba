#include <math.h>

#include "op/op.h"

enum { TOKENS = 1, HEADS, HEAD_DIM };
enum { V_A, S_A, V_B, S_B, V_MERGED, S_MERGED };

void kiln_reference_merge_state(const struct kiln_reference *data);

void
kiln_reference_merge_state(const struct kiln_reference *data)
{
  const int64_t width = data->axis[HEAD_DIM];
  for (int64_t row = 0; row < data->axis[TOKENS] * data->axis[HEADS]; row++) {
    const double s_a = data->real[S_A][row], s_b = data->real[S_B][row], s = fmax(s_a, s_b);
    const double a = isinf(s) ? 0 : exp2(s_a - s), b = isinf(s) ? 0 : exp2(s_b - s);
    for (int64_t i = row * width; i < (row + 1) * width; i++)
      data->real[V_MERGED][i] = isinf(s) ? 0 : (a * data->real[V_A][i] + b * data->real[V_B][i]) / (a + b);
    data->real[S_MERGED][row] = isinf(s) ? s : s + log2(a + b);
  }
}
