#include "kiln_cpu.h"
#include "params.h"

static float
sum_of_squares(const void *row, int n)
{
  float lanes[16] = {0}, sum = 0;
  int i = 0;
  for (; i + 16 <= n; i += 16)
    for (int lane = 0; lane < 16; lane++) {
      const float x = KILN_LOAD(KILN_T, row, i + lane);
      lanes[lane] += x * x;
    }
  for (int lane = 0; lane < 16; lane++)
    sum += lanes[lane];
  for (; i < n; i++) {
    const float x = KILN_LOAD(KILN_T, row, i);
    sum += x * x;
  }
  return sum;
}

void
rmsnorm(const struct rmsnorm_params *p)
{
  for (long long row = 0; row < p->batch_size; row++) {
    const void *input = KILN_AT_CONST(KILN_T, p->input, row * p->input_stride);
    void *out = KILN_AT(KILN_T, p->out, row * p->out_stride);
    const float scale = 1.0f / sqrtf(sum_of_squares(input, p->hidden_size) / (float)p->hidden_size + p->eps);
    for (int i = 0; i < p->hidden_size; i++)
      KILN_STORE(KILN_T, out, i, KILN_LOAD(KILN_T, input, i) * scale * KILN_LOAD(KILN_T, p->weight, i));
  }
}
