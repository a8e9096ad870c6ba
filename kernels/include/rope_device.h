/*
 * Rotary position embedding for CUDA: one template for all ops of the family. A block turns one token: its cosines and
 * sines are computed once, for all heads. KILN_INTERLEAVE: pairs are neighbours; else element i and i + rotary_dim / 2.
 *
 * device.cu says where angles come from: ROPE_KERNELS(name, rope_by_position | rope_by_indptr | rope_by_cache).
 */
#ifndef KILN_ROPE_DEVICE_H
#define KILN_ROPE_DEVICE_H

#include "kiln_device.h"
#include "rope_params.h"

/* Frequency of a pair, in turns a position. In double, as float would be off by a visible angle at position 10^5. */
static __device__ __forceinline__ double
rope_frequency(const struct rope_params &p, int pair)
{
  const double f = exp2(pair * p.step);
  const double s = fmin(fmax(f * p.smooth + p.offset, 0.0), 1.0);
  return f * (s + (1.0 - s) * p.shrink) * 0.15915494309189535;
}

static __device__ __forceinline__ void
rope_turn(double frequency, long long position, float *cosine, float *sine)
{
  const double turns = (double)position * frequency;
  sincospif(2.0f * (float)(turns - rint(turns)), sine, cosine);
}

/* The sequence of a token: the last one that begins at or before it. Each step the lanes of a warp try 32 places. */
template <typename I>
static __device__ __forceinline__ int
rope_sequence(const I *indptr, int sequences, long long token)
{
  int low = 0, count = sequences;
  while (count > 1) {
    const int step = (count + 31) / 32, offset = (int)threadIdx.x % 32 * step;
    const bool before = offset < count && (long long)indptr[low + offset] <= token;
    const int passed = max(__popc(__ballot_sync(0xffffffffu, before)), 1) - 1;
    low += passed * step;
    count = min(step, count - passed * step);
  }
  return low;
}

struct rope_by_position {
  double frequency;
  template <typename I>
  __device__ __forceinline__ long long
  place(const struct rope_params &p, long long token)
  {
    return (long long)((const I *)p.positions)[token];
  }
  __device__ __forceinline__ void
  prepare(const struct rope_params &p, int pair)
  {
    frequency = rope_frequency(p, pair);
  }
  __device__ __forceinline__ void
  turn(const struct rope_params &, long long place, int, float *cosine, float *sine)
  {
    rope_turn(frequency, place, cosine, sine);
  }
};

struct rope_by_indptr : rope_by_position {
  template <typename I>
  __device__ __forceinline__ long long
  place(const struct rope_params &p, long long token)
  {
    const I *indptr = (const I *)p.indptr;
    const int sequence = rope_sequence(indptr, p.sequences, token);
    return (long long)((const I *)p.offsets)[sequence] + token - (long long)indptr[sequence];
  }
};

struct rope_by_cache : rope_by_position {
  __device__ __forceinline__ void
  prepare(const struct rope_params &, int)
  {
  }
  __device__ __forceinline__ void
  turn(const struct rope_params &p, long long place, int pair, float *cosine, float *sine)
  {
    *cosine = p.cache[place * p.cache_stride + pair];
    *sine = p.cache[place * p.cache_stride + p.rotary_dim / 2 + pair];
  }
};

#ifdef KILN_VARIANT_VEC

/* Two vectors of one head: `width` pairs, or elements behind the last pair. */
template <typename T> struct rope_item {
  static constexpr int width = lanes<T>::count;
  static constexpr int per_head = KILN_HEAD_DIM / (2 * width), turned = KILN_ROTARY_DIM / (2 * width);
  vec16 a, b;
  T *to;
  int pair; /* first of its pairs; none: -1 */

  static __device__ __forceinline__ int
  first(int item)
  {
    return KILN_INTERLEAVE || item >= turned ? item * 2 * width : item * width;
  }
  static __device__ __forceinline__ int
  apart(int item)
  {
    return KILN_INTERLEAVE || item >= turned ? width : KILN_ROTARY_DIM / 2;
  }
  __device__ __forceinline__ void
  load(const struct rope_params &p, long long token, int at)
  {
    const int head = at / per_head, item = at % per_head;
    const bool query = head < p.q.heads;
    to = nullptr;
    if (head >= p.q.heads + p.k.heads)
      return;
    const struct rope_tensor &x = query ? p.q : p.k;
    const int row = query ? head : head - p.q.heads;
    const T *from = (const T *)x.from + token * x.from_token + row * x.from_head + first(item);
    to = (T *)x.to + token * x.to_token + row * x.to_head + first(item);
    pair = item < turned ? item * width : -1;
    a = load_plain(from);
    b = load_plain(from + apart(item));
  }
  __device__ __forceinline__ void
  store(const float *cosines, const float *sines)
  {
    if (!to)
      return;
    if (pair >= 0)
      turn(cosines + pair, sines + pair);
    store_once(to, a);
    store_once(to + (KILN_INTERLEAVE || pair < 0 ? width : KILN_ROTARY_DIM / 2), b);
  }
  __device__ __forceinline__ void
  turn(const float *cosines, const float *sines)
  {
    float x[2 * width], c[width], s[width];
    unpack(a, x, T());
    unpack(b, x + width, T());
#pragma unroll
    for (int k = 0; k < width; k += 4) {
      unpack(*(const vec16 *)(cosines + k), c + k, f32());
      unpack(*(const vec16 *)(sines + k), s + k, f32());
    }
#pragma unroll
    for (int k = 0; k < width; k++) {
      float *one = KILN_INTERLEAVE ? &x[2 * k] : &x[k], *two = KILN_INTERLEAVE ? one + 1 : one + width;
      const float real = *one * c[k] - *two * s[k], imaginary = *two * c[k] + *one * s[k];
      *one = real;
      *two = imaginary;
    }
    a = pack(x, T());
    b = pack(x + width, T());
  }
};

template <typename T>
static __device__ __forceinline__ void
rope_prefetch(const struct rope_tensor &x, long long token)
{
  if (x.from_head == KILN_HEAD_DIM)
    prefetch_bytes((const T *)x.from + token * x.from_token, (unsigned)x.heads * KILN_HEAD_DIM * sizeof(T));
}

template <typename T, typename I, typename Angle>
static __device__ __forceinline__ void
rope_vec(const struct rope_params &p)
{
  constexpr int pairs = KILN_ROTARY_DIM / 2;
  __shared__ alignas(16) float cosines[pairs], sines[pairs];
  const long long token = blockIdx.x;
  const int thread = (int)threadIdx.x, threads = (int)blockDim.x;
  const int count = (p.q.heads + p.k.heads) * rope_item<T>::per_head;
  rope_item<T> items[ROPE_EACH];
  Angle angle;
  allow_successor();
  if (thread == 0) {
    rope_prefetch<T>(p.q, token);
    rope_prefetch<T>(p.k, token);
    if (p.positions)
      prefetch_line((const I *)p.positions + token);
  }
  if (thread < pairs)
    angle.prepare(p, thread);
  wait_for_predecessor();
  const long long place = angle.template place<I>(p, token);
#pragma unroll
  for (int i = 0; i < ROPE_EACH; i++)
    items[i].load(p, token, i * threads + thread);
  if (thread < pairs)
    angle.turn(p, place, thread, &cosines[thread], &sines[thread]);
  __syncthreads();
  for (int first = 0;;) {
#pragma unroll
    for (int i = 0; i < ROPE_EACH; i++)
      items[i].store(cosines, sines);
    if ((first += ROPE_EACH * threads) >= count)
      break;
#pragma unroll
    for (int i = 0; i < ROPE_EACH; i++)
      items[i].load(p, token, first + i * threads + thread);
  }
}

#define ROPE_KERNELS(name, Angle)                                                                                      \
  extern "C" __global__ void __launch_bounds__(ROPE_MOST_THREADS) name##_vec(const struct rope_params p)               \
  {                                                                                                                    \
    rope_vec<KILN_T, KILN_IDX, Angle>(p);                                                                              \
  }

#else

template <typename T>
static __device__ __forceinline__ void
rope_turn_head(
    const struct rope_params &p, const struct rope_tensor &x, long long token, int head, int pair, float c, float s)
{
  const int one = KILN_INTERLEAVE ? 2 * pair : pair, two = KILN_INTERLEAVE ? one + 1 : pair + p.rotary_dim / 2;
  const T *from = (const T *)x.from + token * x.from_token + head * x.from_head;
  T *to = (T *)x.to + token * x.to_token + head * x.to_head;
  const float a = to_float(from[one]), b = to_float(from[two]);
  from_float(&to[one], a * c - b * s);
  from_float(&to[two], b * c + a * s);
}

/* What lies behind the last pair stays. */
template <typename T>
static __device__ __forceinline__ void
rope_copy_rest(const struct rope_params &p, const struct rope_tensor &x, long long token)
{
  const int rest = p.head_dim - p.rotary_dim;
  for (int i = (int)threadIdx.x; i < rest * x.heads; i += ROPE_ANY_THREADS) {
    const int head = i / rest, at = p.rotary_dim + i % rest;
    ((T *)x.to)[token * x.to_token + head * x.to_head + at] =
        ((const T *)x.from)[token * x.from_token + head * x.from_head + at];
  }
}

/* Any size, any alignment: each thread turns one pair of all heads after the other. */
template <typename T, typename I, typename Angle>
static __device__ __forceinline__ void
rope_any(const struct rope_params &p)
{
  const long long token = blockIdx.x;
  Angle angle;
  allow_successor();
  wait_for_predecessor();
  const long long place = angle.template place<I>(p, token);
  for (int pair = (int)threadIdx.x; pair < p.rotary_dim / 2; pair += ROPE_ANY_THREADS) {
    float c, s;
    angle.prepare(p, pair);
    angle.turn(p, place, pair, &c, &s);
    for (int head = 0; head < p.q.heads; head++)
      rope_turn_head<T>(p, p.q, token, head, pair, c, s);
    for (int head = 0; head < p.k.heads; head++)
      rope_turn_head<T>(p, p.k, token, head, pair, c, s);
  }
  rope_copy_rest<T>(p, p.q, token);
  rope_copy_rest<T>(p, p.k, token);
}

#define ROPE_KERNELS(name, Angle)                                                                                      \
  extern "C" __global__ void __launch_bounds__(ROPE_ANY_THREADS) name##_any(const struct rope_params p)                \
  {                                                                                                                    \
    rope_any<KILN_T, KILN_IDX, Angle>(p);                                                                              \
  }

#endif

#endif
