/*
 * Rotary position embedding for CUDA: one template for all ops of the family. A block turns one token: its cosines and
 * sines are computed once, for all heads. KILN_INTERLEAVE: pairs are neighbours; else element i and i + rotary_dim / 2.
 *
 * device.cu says where angles come from: ROPE_KERNELS(name, rope_by_position | rope_by_indptr | rope_by_cache).
 *
 * Little code on purpose: what a first call waits for is the compiler.
 */
#ifndef KILN_ROPE_DEVICE_H
#define KILN_ROPE_DEVICE_H

#include "kiln_device.h"
#include "rope_params.h"

/* Frequency of a pair, in quarters of a turn a position: ratio^pair by squaring, then smoothed. In double, as float
 * would be off by a visible angle at position 10^5. */
static __device__ __forceinline__ double
rope_frequency(const struct rope_params &p, unsigned pair)
{
  double f = 1, power = p.ratio;
#pragma unroll 1
  for (; pair; pair >>= 1, power *= power)
    if (pair & 1)
      f *= power;
  double s = f * p.smooth + p.offset;
  s = s < 0 ? 0 : s;
  s = s > 1 ? 1 : s;
  return f * (s + (1 - s) * p.shrink) * 0.6366197723675814;
}

/* The nearest whole quarter says which way to look; the polynomials are for what is left of the angle, up to pi / 4,
 * and off by 1e-9 there: less than rounding is. */
static __device__ __forceinline__ void
rope_turn(double frequency, long long position, float *cosine, float *sine)
{
  const double quarters = (double)position * frequency;
  const long long whole = __double2ll_rn(quarters);
  const unsigned quarter = (unsigned)whole;
  const float r = (float)(quarters - (double)whole), w = r * r;
  const float y = r * (1.5707963f + w * (-0.64596295f + w * (0.079675905f - w * 0.004592289f)));
  const float x = 1.0f + w * (-1.2337005f + w * (0.25366923f + w * (-0.020860288f + w * 0.00090402167f)));
  const float c = quarter & 1 ? y : x, s = quarter & 1 ? x : y;
  *cosine = (quarter + 1) & 2 ? -c : c;
  *sine = quarter & 2 ? -s : s;
}

/* Where a token is in its sequence, the last one that begins at or before it: of 64 places at a time, two a lane, the
 * last that does, with what is wanted of it, so that up to 64 sequences cost one answer of memory. */
template <typename I>
static __device__ __forceinline__ long long
rope_place(const I *indptr, const I *offsets, unsigned sequences, I token)
{
  constexpr unsigned all = 0xffffffffu;
  const unsigned lane = threadIdx.x % 32;
  unsigned low = 0, count = max(sequences, 1), step;
  I place;
#pragma unroll 1
  do {
    step = (count + 63) / 64;
    const unsigned one = low + min(2 * lane * step, count - 1), two = low + min((2 * lane + 1) * step, count - 1);
    const I begin = indptr[one], next = indptr[two], here = offsets[one] - begin, there = offsets[two] - next;
    const unsigned passed = __popc(__ballot_sync(all, begin <= token)) + __popc(__ballot_sync(all, next <= token));
    const unsigned last = max(passed, 1) - 1, skipped = min(last * step, count - 1);
    place = __shfl_sync(all, next <= token ? there : here, last / 2);
    low += skipped;
    count = min(step, count - skipped);
  } while (step > 1);
  return (long long)place + token;
}

struct rope_by_position {
  double frequency;
  template <typename I>
  __device__ __forceinline__ void
  prefetch(const struct rope_params &p, unsigned token)
  {
    prefetch_line((const I *)p.positions + token);
  }
  template <typename I>
  __device__ __forceinline__ long long
  place(const struct rope_params &p, unsigned token)
  {
    return ((const I *)p.positions)[token];
  }
  __device__ __forceinline__ void
  prepare(const struct rope_params &p, unsigned pair)
  {
    frequency = rope_frequency(p, pair);
  }
  __device__ __forceinline__ void
  turn(const struct rope_params &, long long place, unsigned, float *cosine, float *sine)
  {
    rope_turn(frequency, place, cosine, sine);
  }
};

struct rope_by_indptr : rope_by_position {
  template <typename I>
  __device__ __forceinline__ void
  prefetch(const struct rope_params &p, unsigned)
  {
    prefetch_line((const I *)p.indptr);
    prefetch_line((const I *)p.offsets);
  }
  template <typename I>
  __device__ __forceinline__ long long
  place(const struct rope_params &p, unsigned token)
  {
    return rope_place((const I *)p.indptr, (const I *)p.offsets, (unsigned)p.sequences, (I)token);
  }
};

struct rope_by_cache : rope_by_position {
  __device__ __forceinline__ void
  prepare(const struct rope_params &, unsigned)
  {
  }
  __device__ __forceinline__ void
  turn(const struct rope_params &p, long long place, unsigned pair, float *cosine, float *sine)
  {
    const float *at = p.cache + place * p.cache_stride + pair;
    *cosine = *at;
    *sine = at[p.rotary_dim / 2];
  }
};

/* A head of a token, of queries and then of keys: where it lies and where it goes. */
template <typename T> struct rope_head {
  const T *from;
  T *to;
  __device__ __forceinline__ void
  find(const struct rope_params &p, unsigned token, unsigned head, unsigned element)
  {
    const unsigned queries = (unsigned)p.q.heads;
    const struct rope_tensor &x = head < queries ? p.q : p.k;
    const unsigned row = head < queries ? head : head - queries;
    from = (const T *)x.from + token * x.from_token + row * x.from_head + element;
    to = (T *)x.to + token * x.to_token + row * x.to_head + element;
  }
};

#ifdef KILN_VARIANT_VEC

/* About a block a multiprocessor reads ahead while the kernel before still writes. */
constexpr unsigned rope_first_blocks = 132;

template <typename T>
static __device__ __forceinline__ void
rope_turn_vectors(const float *cosines, const float *sines, vec16 &a, vec16 &b)
{
  constexpr unsigned width = lanes<T>::count;
  float x[2 * width];
  unpack(a, x, T());
  unpack(b, x + width, T());
#pragma unroll
  for (unsigned k = 0; k < width; k++) {
    const unsigned u = KILN_INTERLEAVE ? 2 * k : k, v = KILN_INTERLEAVE ? u + 1 : u + width;
    const float c = cosines[k], s = sines[k], real = x[u] * c - x[v] * s;
    x[v] = x[v] * c + x[u] * s;
    x[u] = real;
  }
  a = pack(x, T());
  b = pack(x + width, T());
}

/* A thread has two vectors of a head, `width` pairs or elements behind the last pair, and those of other heads that lie
 * in the same column: ROPE_EACH at once. Its first ones are on their way before the angles are known. */
template <typename T, typename I, typename Angle>
static __device__ __forceinline__ void
rope_vec(const struct rope_params &p)
{
  constexpr unsigned width = lanes<T>::count, columns = KILN_HEAD_DIM / (2 * width), pairs = KILN_ROTARY_DIM / 2;
  __shared__ alignas(16) float cosines[pairs], sines[pairs];
  const unsigned thread = threadIdx.x, step = blockDim.x / columns, heads = (unsigned)(p.q.heads + p.k.heads);
  const unsigned pair = thread % columns * width;
  const bool turned = pair < pairs, beside = KILN_INTERLEAVE || !turned;
  const unsigned one = beside ? 2 * pair : pair, apart = beside ? width : pairs;
  unsigned head = thread / columns < step ? thread / columns : heads;
  bool first = true;
  Angle angle;

  if (thread < pairs)
    angle.prepare(p, thread);
#pragma unroll 1
  do {
    rope_head<T> at[ROPE_EACH];
    vec16 a[ROPE_EACH], b[ROPE_EACH];
#pragma unroll
    for (unsigned i = 0; i < ROPE_EACH; i++)
      at[i].find(p, blockIdx.x, head + i * step, one);
    if (first) {
      if (blockIdx.x < rope_first_blocks && head < heads) {
        prefetch_line(at[0].from);
        prefetch_line(at[0].from + apart);
        angle.template prefetch<I>(p, blockIdx.x);
      }
      wait_for_predecessor();
    }
#pragma unroll
    for (unsigned i = 0; i < ROPE_EACH; i++)
      if (head + i * step < heads) {
        a[i] = load_plain(at[i].from);
        b[i] = load_plain(at[i].from + apart);
      }
    if (first) {
      allow_successor();              /* not before: its blocks would take the places of this kernel's own */
      if (thread / 32 * 32 < pairs) { /* whole warps look for the place, and no more of them than need it */
        const long long place = angle.template place<I>(p, blockIdx.x);
        if (thread < pairs)
          angle.turn(p, place, thread, &cosines[thread], &sines[thread]);
      }
      __syncthreads();
      first = false;
    }
#pragma unroll
    for (unsigned i = 0; i < ROPE_EACH; i++) {
      if (head + i * step >= heads)
        break;
      if (turned)
        rope_turn_vectors<T>(cosines + pair, sines + pair, a[i], b[i]);
      store_once(at[i].to, a[i]);
      store_once(at[i].to + apart, b[i]);
    }
    head += ROPE_EACH * step;
  } while (head < heads);
}

#define ROPE_KERNELS(name, Angle)                                                                                      \
  extern "C" __global__ void __launch_bounds__(ROPE_MOST_THREADS) name##_vec(const struct rope_params p)               \
  {                                                                                                                    \
    rope_vec<KILN_T, KILN_IDX, Angle>(p);                                                                              \
  }

#else

/* Any size, any alignment: each thread turns one pair of all heads after the other, or copies one element behind the
 * last pair. */
template <typename T, typename I, typename Angle>
static __device__ __forceinline__ void
rope_any(const struct rope_params &p)
{
  const unsigned pairs = (unsigned)p.rotary_dim / 2, heads = (unsigned)(p.q.heads + p.k.heads);
  Angle angle;
  allow_successor();
  wait_for_predecessor();
  const long long place = angle.template place<I>(p, blockIdx.x);
#pragma unroll 1
  for (unsigned item = threadIdx.x; item < (unsigned)p.head_dim - pairs; item += ROPE_ANY_THREADS) {
    const bool turned = item < pairs;
    const unsigned one = !turned           ? item + pairs
                         : KILN_INTERLEAVE ? 2 * item
                                           : item,
                   apart = KILN_INTERLEAVE ? 1 : pairs;
    float c = 0, s = 0;
    if (turned) {
      angle.prepare(p, item);
      angle.turn(p, place, item, &c, &s);
    }
#pragma unroll 1
    for (unsigned head = 0; head < heads; head++) {
      rope_head<T> at;
      at.find(p, blockIdx.x, head, one);
      if (turned) {
        const float a = to_float(at.from[0]), b = to_float(at.from[apart]);
        from_float(at.to, a * c - b * s);
        from_float(at.to + apart, b * c + a * s);
      } else
        *at.to = *at.from;
    }
  }
}

#define ROPE_KERNELS(name, Angle)                                                                                      \
  extern "C" __global__ void __launch_bounds__(ROPE_ANY_THREADS) name##_any(const struct rope_params p)                \
  {                                                                                                                    \
    rope_any<KILN_T, KILN_IDX, Angle>(p);                                                                              \
  }

#endif

#endif
