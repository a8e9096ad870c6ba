/*
 * Merging attention states for the CPU. A row is read before it is written: results may lie over inputs.
 */
#ifndef KILN_MERGE_CPU_H
#define KILN_MERGE_CPU_H

#include "kiln_cpu.h"
#include "merge_params.h"

/* Columns whose sums are kept at once. */
enum { MERGE_COLUMNS = 128 };

/* State i of one head of one token: of two inputs with one state each, or of one with many. */
static inline const struct merge_input *
merge_place(const struct merge_params *p, int two, int i, long long *step)
{
  *step = two ? 0 : i;
  return &p->input[two ? i : 0];
}

static inline float
merge_score(const struct merge_params *p, int two, int i, long long token, long long head)
{
  long long step;
  const struct merge_input *in = merge_place(p, two, i, &step);
  return in->s[token * in->s_token + head + step * in->s_step];
}

/* `count` columns from `first` on, weighted and summed; a state of weight 0 adds nothing, whatever it holds. */
static inline void
merge_columns(const struct merge_params *p, int two, long long token, long long head, int first, int count, float base,
    float scale)
{
  float total[MERGE_COLUMNS] = {0};
  for (int i = 0; i < p->states; i++) {
    long long step;
    const struct merge_input *in = merge_place(p, two, i, &step);
    const float weight = exp2f(merge_score(p, two, i, token, head) - base) * scale;
    const void *v = KILN_AT_CONST(KILN_T, in->v, token * in->v_token + head * in->v_head + step * in->v_step + first);
    if (weight == 0)
      continue;
    for (int k = 0; k < count; k++)
      total[k] += weight * KILN_LOAD(KILN_T, v, k);
  }
  void *out = KILN_AT(KILN_T, p->v, token * p->v_token + head * p->v_head + first);
  for (int k = 0; k < count; k++)
    KILN_STORE(KILN_T, out, k, total[k]);
}

/* two: merge_state; otherwise merge_states. */
static inline void
merge_rows(const struct merge_params *p, int two)
{
  for (long long row = 0; row < p->rows; row++) {
    const long long token = row / p->heads, head = row % p->heads;
    float base = -INFINITY, sum = 0;
    for (int i = 0; i < p->states; i++)
      base = fmaxf(base, merge_score(p, two, i, token, head));
    base = base == -INFINITY ? 0 : base;
    for (int i = 0; i < p->states; i++)
      sum += exp2f(merge_score(p, two, i, token, head) - base);
    for (int first = 0; first < p->width; first += MERGE_COLUMNS) {
      const int left = p->width - first, count = left < MERGE_COLUMNS ? left : MERGE_COLUMNS;
      merge_columns(p, two, token, head, first, count, base, sum == 0 ? 0 : 1 / sum);
    }
    p->s[token * p->s_token + head] = log2f(sum) + base;
  }
}

#endif
