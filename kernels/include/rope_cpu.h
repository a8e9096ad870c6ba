/*
 * Rotary position embedding for the CPU: one function for all ops of the family.
 */
#ifndef KILN_ROPE_CPU_H
#define KILN_ROPE_CPU_H

#include "kiln_cpu.h"
#include "rope_params.h"

/* Where a token stands: its position, by whatever says so. */
static inline long long
rope_place(const struct rope_params *p, long long token)
{
  if (p->positions)
    return KILN_LOAD(KILN_IDX, p->positions, token);
  int low = 0, high = p->sequences; /* the last sequence that begins at or before it */
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (KILN_LOAD(KILN_IDX, p->indptr, middle) <= token)
      low = middle;
    else
      high = middle;
  }
  return KILN_LOAD(KILN_IDX, p->offsets, low) + token - KILN_LOAD(KILN_IDX, p->indptr, low);
}

static inline void
rope_angle(const struct rope_params *p, long long place, int pair, float *cosine, float *sine)
{
  if (p->cache) {
    *cosine = p->cache[place * p->cache_stride + pair];
    *sine = p->cache[place * p->cache_stride + p->rotary_dim / 2 + pair];
    return;
  }
  const double f = exp2(pair * p->step), s = fmin(fmax(f * p->smooth + p->offset, 0), 1);
  const double angle = (double)place * f * (s + (1 - s) * p->shrink);
  *cosine = (float)cos(angle);
  *sine = (float)sin(angle);
}

static inline void
rope_turn(const struct rope_params *p, const struct rope_tensor *x, long long token, int pair, float c, float s)
{
  const int one = KILN_INTERLEAVE ? 2 * pair : pair, two = KILN_INTERLEAVE ? one + 1 : pair + p->rotary_dim / 2;
  for (int head = 0; head < x->heads; head++) {
    const void *from = KILN_AT_CONST(KILN_T, x->from, token * x->from_token + head * x->from_head);
    void *to = KILN_AT(KILN_T, x->to, token * x->to_token + head * x->to_head);
    const float a = KILN_LOAD(KILN_T, from, one), b = KILN_LOAD(KILN_T, from, two);
    KILN_STORE(KILN_T, to, one, a * c - b * s);
    KILN_STORE(KILN_T, to, two, b * c + a * s);
  }
}

/* What lies behind the last pair stays. */
static inline void
rope_copy_rest(const struct rope_params *p, const struct rope_tensor *x, long long token)
{
  for (int head = 0; head < x->heads; head++)
    memmove(KILN_AT(KILN_T, x->to, token * x->to_token + head * x->to_head + p->rotary_dim),
        KILN_AT_CONST(KILN_T, x->from, token * x->from_token + head * x->from_head + p->rotary_dim),
        (size_t)(p->head_dim - p->rotary_dim) * KILN_BYTES(KILN_T));
}

static inline void
rope_tokens(const struct rope_params *p)
{
  for (long long token = 0; token < p->tokens; token++) {
    const long long place = rope_place(p, token);
    for (int pair = 0; pair < p->rotary_dim / 2; pair++) {
      float c, s;
      rope_angle(p, place, pair, &c, &s);
      rope_turn(p, &p->q, token, pair, c, s);
      rope_turn(p, &p->k, token, pair, c, s);
    }
    rope_copy_rest(p, &p->q, token);
    rope_copy_rest(p, &p->k, token);
  }
}

#endif
