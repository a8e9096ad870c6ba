#include <math.h>

#include "op/op.h"

enum { TOKENS = 1, STATES, HEADS, HEAD_DIM };
enum { V, S, V_MERGED, S_MERGED };

void kiln_reference_merge_states(const struct kiln_reference *data);

/* One head of one token: its states are `step` apart. */
static void
merge(const struct kiln_reference *data, int64_t row, int64_t first, int64_t step)
{
  const int64_t states = data->axis[STATES], width = data->axis[HEAD_DIM];
  double *out = data->real[V_MERGED] + row * width, largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < states; i++)
    largest = fmax(largest, data->real[S][first + i * step]);
  for (int64_t k = 0; k < width; k++)
    out[k] = 0;
  for (int64_t i = 0; i < states && !isinf(largest); i++) {
    const double weight = exp2(data->real[S][first + i * step] - largest);
    for (int64_t k = 0; k < width; k++)
      out[k] += weight * data->real[V][(first + i * step) * width + k];
    sum += weight;
  }
  for (int64_t k = 0; k < width && sum > 0; k++)
    out[k] /= sum;
  data->real[S_MERGED][row] = sum > 0 ? largest + log2(sum) : -INFINITY;
}

void
kiln_reference_merge_states(const struct kiln_reference *data)
{
  const int64_t heads = data->axis[HEADS];
  for (int64_t token = 0; token < data->axis[TOKENS]; token++)
    for (int64_t head = 0; head < heads; head++)
      merge(data, token * heads + head, token * data->axis[STATES] * heads + head, heads);
}
