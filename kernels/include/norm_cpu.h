/*
 * Root mean square and layer normalisation for the CPU, with their fused forms. cpu.c defines what the op is before it
 * includes this: NORM_W and NORM_O, the types of weights and results, and the NORM_… below that are 1.
 */
#ifndef KILN_NORM_CPU_H
#define KILN_NORM_CPU_H

#include "kiln_cpu.h"
#include "norm_params.h"

#ifndef NORM_ONE_PLUS
#define NORM_ONE_PLUS 0 /* weight + 1 */
#endif
#ifndef NORM_RESIDUAL
#define NORM_RESIDUAL 0 /* residual += input first; the sum is what is normalised */
#endif
#ifndef NORM_MEAN
#define NORM_MEAN 0 /* the mean is taken off first; a bias is added */
#endif
#ifndef NORM_HEADS
#define NORM_HEADS 0 /* rows may be heads */
#endif
#ifndef NORM_SCALED
#define NORM_SCALED 0 /* the result is divided by a scale */
#endif

static inline float
norm_value(const void *input, const void *residual, long long i)
{
  return NORM_RESIDUAL ? KILN_LOAD(KILN_T, input, i) + KILN_LOAD(KILN_T, residual, i) : KILN_LOAD(KILN_T, input, i);
}

/* Sixteen partial sums, so that the compiler may use vectors without being allowed to reorder. Of values, or of
 * squares of their distance from `mean`. */
static float
norm_sum(const void *input, const void *residual, int n, int squares, float mean)
{
  float lanes[16] = {0}, sum = 0;
  int i = 0;
  for (; i + 16 <= n; i += 16)
    for (int lane = 0; lane < 16; lane++) {
      const float x = norm_value(input, residual, i + lane) - mean;
      lanes[lane] += squares ? x * x : x;
    }
  for (int lane = 0; lane < 16; lane++)
    sum += lanes[lane];
  for (; i < n; i++) {
    const float x = norm_value(input, residual, i) - mean;
    sum += squares ? x * x : x;
  }
  return sum;
}

/* Where a row begins, in elements. Unsigned: where strides are huge only the sum is a number of 63 bits. */
static long long
norm_at(const struct norm_params *p, long long row, long long stride, long long gap)
{
  const unsigned long long token = NORM_HEADS ? (unsigned long long)row * p->part >> 32 >> p->shift : 0;
  return (long long)((unsigned long long)row * (unsigned long long)stride + token * (unsigned long long)gap);
}

static void
norm_row(const struct norm_params *p, long long row, float divisor)
{
  const void *input = KILN_AT_CONST(KILN_T, p->input, norm_at(p, row, p->input_stride, p->input_gap));
  void *residual = NORM_RESIDUAL ? KILN_AT(KILN_T, p->residual, row * p->residual_stride) : 0;
  void *out = KILN_AT(NORM_O, p->out, norm_at(p, row, p->out_stride, p->out_gap));
  const float n = (float)p->width;
  const float mean = NORM_MEAN ? norm_sum(input, residual, p->width, 0, 0) / n : 0;
  const float scale = divisor / sqrtf(norm_sum(input, residual, p->width, 1, mean) / n + p->eps);
  for (int i = 0; i < p->width; i++) {
    const float x = norm_value(input, residual, i), w = KILN_LOAD(NORM_W, p->weight, i);
    const float bias = NORM_MEAN ? KILN_LOAD(NORM_W, p->bias, i) * divisor : 0;
    if (NORM_RESIDUAL)
      KILN_STORE(KILN_T, residual, i, x);
    KILN_STORE(NORM_O, out, i, (x - mean) * scale * (NORM_ONE_PLUS ? w + 1 : w) + bias);
  }
}

static void
norm_rows(const struct norm_params *p)
{
  const float divisor = NORM_SCALED ? 1 / (p->scale_at ? *p->scale_at : p->scale) : 1;
  for (long long row = 0; row < p->rows; row++)
    norm_row(p, row, divisor);
}

#endif
