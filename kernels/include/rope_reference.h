/*
 * Rotary position embedding in double precision: the reference of all ops of the family. Arguments 0 to 3 are q, k and
 * their results.
 */
#ifndef KILN_ROPE_REFERENCE_H
#define KILN_ROPE_REFERENCE_H

#include <math.h>

#include "op/op.h"

struct rope_reference {
  const struct kiln_reference *data;
  int64_t tokens, head_dim, rotary_dim;
  bool interleave;
  unsigned indptr, offsets; /* arguments; or */
  unsigned positions;
  int64_t sequences; /* 0: there are positions */
  /* Angles: from arguments that are numbers, or the cache. */
  const double *cache;
  double scale, theta, low, high, context; /* context 0: no smoothing */
};

static inline int64_t
rope_reference_place(const struct rope_reference *rope, int64_t token)
{
  const struct kiln_reference *data = rope->data;
  if (!rope->sequences)
    return data->integer[rope->positions][token];
  int64_t sequence = 0;
  while (sequence + 1 < rope->sequences && data->integer[rope->indptr][sequence + 1] <= token)
    sequence++;
  return data->integer[rope->offsets][sequence] + token - data->integer[rope->indptr][sequence];
}

/* Llama 3.1: wavelengths beyond context / low are scaled, those below context / high are not, between them in part. */
static inline double
rope_reference_frequency(const struct rope_reference *rope, int64_t pair)
{
  const double f = pow(rope->theta, -2.0 * (double)pair / (double)rope->rotary_dim);
  if (rope->context <= 0)
    return f / rope->scale;
  const double s = (f * rope->context / (2 * acos(-1)) - rope->low) / (rope->high - rope->low);
  const double smooth = fmin(fmax(s, 0), 1);
  return f * (smooth + (1 - smooth) / rope->scale);
}

static inline void
rope_reference_head(const struct rope_reference *rope, int64_t place, const double *from, double *to)
{
  const int64_t half = rope->rotary_dim / 2;
  for (int64_t pair = 0; pair < half; pair++) {
    const int64_t one = rope->interleave ? 2 * pair : pair, two = rope->interleave ? one + 1 : pair + half;
    const double *cache = rope->cache ? rope->cache + place * rope->rotary_dim + pair : NULL;
    const double angle = cache ? 0 : (double)place * rope_reference_frequency(rope, pair);
    const double c = cache ? cache[0] : cos(angle), s = cache ? cache[half] : sin(angle);
    to[one] = from[one] * c - from[two] * s;
    to[two] = from[two] * c + from[one] * s;
  }
  for (int64_t i = rope->rotary_dim; i < rope->head_dim; i++)
    to[i] = from[i];
}

static inline void
rope_reference_run(const struct rope_reference *rope, int64_t q_heads, int64_t k_heads)
{
  for (unsigned x = 0; x < 2; x++) {
    const int64_t heads = x == 0 ? q_heads : k_heads;
    for (int64_t row = 0; row < rope->tokens * heads; row++)
      rope_reference_head(rope, rope_reference_place(rope, row / heads), rope->data->real[x] + row * rope->head_dim,
          rope->data->real[x + 2] + row * rope->head_dim);
  }
}

#endif
