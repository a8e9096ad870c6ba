/*
 * Merging attention states for CUDA: v = sum of v_i * 2^(s_i - s), s = log2(sum of 2^s_i). A kernel file is one line:
 * MERGE_KERNELS(name, which of the two forms).
 *
 * The threads of a row are lanes of one warp: everyone has read s before one of them writes it, so results may lie over
 * inputs. A state whose weight is 0 adds nothing, whatever its v holds.
 */
#ifndef KILN_MERGE_DEVICE_H
#define KILN_MERGE_DEVICE_H

#include "kiln_device.h"
#include "merge_params.h"

enum { MERGE_TWO, MERGE_MANY };

/* Blocks that come later find everything in its course. */
constexpr unsigned merge_first_wave = 1056;

/* The score of no keys. */
static __device__ __forceinline__ float
merge_nothing(void)
{
  return -__int_as_float(0x7f800000);
}

/* Where the states of one row are, and where the result goes. Two tensors of one state each are states as far apart as
 * they are. */
template <typename T, int form> struct merge_row {
  const T *v;
  const float *s;
  long long v_step, s_step;
  unsigned token, head;
  __device__ __forceinline__
  merge_row(const struct merge_params &p, unsigned row)
  {
    token = row / (unsigned)p.heads;
    head = row - token * (unsigned)p.heads;
    const struct merge_input &in = p.input[0], &other = p.input[1];
    v = (const T *)in.v + token * in.v_token + head * in.v_head;
    s = in.s + token * in.s_token + head;
    v_step = in.v_step;
    s_step = in.s_step;
    if (form == MERGE_TWO) {
      v_step = (const T *)other.v + token * other.v_token + head * other.v_head - v;
      s_step = other.s + token * other.s_token + head - s;
    }
  }
  __device__ __forceinline__ T *
  result(const struct merge_params &p) const
  {
    return (T *)p.v + token * p.v_token + head * p.v_head;
  }
  /* After the last read of s by any lane of the row. */
  __device__ __forceinline__ void
  write_score(const struct merge_params &p, bool writes, float sum, float base) const
  {
    __syncwarp();
    if (writes)
      p.s[token * p.s_token + head] = log2_approximate(sum) + base;
  }
};

/* What weights are relative to: the largest score, or 0 when there is nothing but empty states. Of `threads` lanes
 * that have a row in common each looks at some. */
template <unsigned threads, typename T, int form>
static __device__ __forceinline__ float
merge_base(const merge_row<T, form> &row, unsigned states)
{
  float largest = merge_nothing();
  if (form == MERGE_TWO)
    largest = fmaxf(row.s[0], row.s[row.s_step]);
  else {
#pragma unroll 1
    for (unsigned i = threadIdx.x % threads; i < states; i += threads)
      largest = fmaxf(largest, row.s[i * row.s_step]);
#pragma unroll 1
    for (unsigned step = threads / 2; step > 0; step /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  }
  return largest == merge_nothing() ? 0.0f : largest;
}

/* The sum is 0, or holds a weight of 1. */
static __device__ __forceinline__ float
merge_scale(float sum)
{
  return reciprocal_approximate(fmaxf(sum, 1.0f));
}

#ifdef KILN_HEAD_DIM

/* 16 bytes a load; MERGE_AHEAD states are on their way before the first is used. A wide head is walked through from one
 * column of vectors to the next. */
template <typename T, int form, unsigned columns>
static __device__ __forceinline__ void
merge_vec(const struct merge_params &p)
{
  constexpr unsigned width = lanes<T>::count, vectors = columns / width, threads = MERGE_LANES(vectors);
  constexpr unsigned ahead = form == MERGE_TWO ? 2 : MERGE_AHEAD;
  const unsigned wanted = blockIdx.x * (MERGE_THREADS / threads) + threadIdx.x / threads;
  const bool here = wanted < (unsigned)p.rows;
  const unsigned row = here ? wanted : 0; /* every lane goes all the way: none may be missing at a barrier */
  const unsigned lane = threadIdx.x % threads, states = form == MERGE_TWO ? 2 : (unsigned)p.states;
  const merge_row<T, form> at(p, row);
  float sum = 0;

  allow_successor();
  if (blockIdx.x < merge_first_wave && here && lane * width < columns) {
#pragma unroll 1
    for (unsigned i = 0; i < min(states, ahead); i++) {
      prefetch_line(at.v + i * at.v_step + lane * width);
      prefetch_line(at.s + i * at.s_step);
    }
  }
  wait_for_predecessor();
  const float base = merge_base<threads>(at, states);
#pragma unroll 1
  for (unsigned round = 0; round < (vectors + threads - 1) / threads; round++) {
    const unsigned column = (round * threads + lane) * width;
    if (column >= columns)
      break;
    const T *v = at.v + column;
    const float *s = at.s;
    float total[width] = {};
    sum = 0;
#pragma unroll 1
    for (unsigned first = 0; first < states; first += ahead) {
      vec16 held[ahead];
      float score[ahead];
#pragma unroll
      for (unsigned a = 0; a < ahead; a++) {
        score[a] = merge_nothing();
        if (first + a < states) {
          held[a] = load_once(v);
          score[a] = *s;
        }
        v += at.v_step;
        s += at.s_step;
      }
#pragma unroll
      for (unsigned a = 0; a < ahead; a++) {
        const float weight = exp2_approximate(score[a] - base);
        float x[width];
        sum += weight;
        if (weight == 0.0f)
          continue;
        unpack(held[a], x, T());
#pragma unroll
        for (unsigned j = 0; j < width; j++)
          total[j] += weight * x[j];
      }
    }
    const float scale = merge_scale(sum);
#pragma unroll
    for (unsigned j = 0; j < width; j++)
      total[j] *= scale;
    if (here)
      store_once(at.result(p) + column, pack(total, T()));
  }
  at.write_score(p, here && lane == 0, sum, base);
}

#define MERGE_KERNELS(name, form)                                                                                      \
  extern "C" __global__ void __launch_bounds__(MERGE_THREADS) name##_vec(const struct merge_params p)                  \
  {                                                                                                                    \
    merge_vec<KILN_T, form, KILN_HEAD_DIM>(p);                                                                         \
  }

#else

/* A warp a row, one element a load: any width, any alignment. */
template <typename T, int form>
static __device__ __forceinline__ void
merge_any(const struct merge_params &p)
{
  const unsigned row = blockIdx.x * (MERGE_THREADS / 32) + threadIdx.x / 32;
  const unsigned states = form == MERGE_TWO ? 2 : (unsigned)p.states, lane = threadIdx.x % 32;
  allow_successor();
  wait_for_predecessor();
  if (row >= (unsigned)p.rows)
    return;
  const merge_row<T, form> at(p, row);
  const float base = merge_base<32>(at, states);
  float sum = 0;
#pragma unroll 1
  for (unsigned column = lane; column < (unsigned)p.width; column += 32) {
    const T *v = at.v + column;
    const float *s = at.s;
    float total = 0;
    sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < states; i++) {
      const float weight = exp2_approximate(*s - base);
      sum += weight;
      if (weight != 0.0f)
        total += weight * to_float(*v);
      v += at.v_step;
      s += at.s_step;
    }
    from_float(at.result(p) + column, total * merge_scale(sum));
  }
  at.write_score(p, lane == 0, sum, base);
}

#define MERGE_KERNELS(name, form)                                                                                      \
  extern "C" __global__ void __launch_bounds__(MERGE_THREADS) name##_row(const struct merge_params p)                  \
  {                                                                                                                    \
    merge_any<KILN_T, form>(p);                                                                                        \
  }

#endif

#endif
