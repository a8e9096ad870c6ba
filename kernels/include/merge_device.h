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

/* Where the states of one row are. */
template <typename T, int form> struct merge_row {
  const T *v[2];
  const float *s[2];
  long long v_step, s_step;
  __device__ __forceinline__
  merge_row(const struct merge_params &p, unsigned row)
  {
    const unsigned heads = (unsigned)p.heads, token = row / heads, head = row % heads;
#pragma unroll
    for (int i = 0; i < (form == MERGE_TWO ? 2 : 1); i++) {
      const struct merge_input &in = p.input[i];
      v[i] = (const T *)in.v + token * in.v_token + head * in.v_head;
      s[i] = in.s + token * in.s_token + head;
    }
    v_step = p.input[0].v_step;
    s_step = p.input[0].s_step;
  }
  __device__ __forceinline__ const T *
  values(int i) const
  {
    return form == MERGE_MANY ? v[0] + i * v_step : i ? v[1] : v[0];
  }
  __device__ __forceinline__ float
  score(int i) const
  {
    return form == MERGE_MANY ? s[0][i * s_step] : *(i ? s[1] : s[0]);
  }
};

/* What weights are relative to: the largest score, or 0 when there is nothing but empty states. */
template <typename T, int form>
static __device__ __forceinline__ float
merge_base(const merge_row<T, form> &row, int states)
{
  float largest = -__int_as_float(0x7f800000);
#pragma unroll 4
  for (int i = 0; i < states; i++)
    largest = fmaxf(largest, row.score(i));
  return largest == -__int_as_float(0x7f800000) ? 0.0f : largest;
}

/* After the last read of s by any lane of the row. */
static __device__ __forceinline__ void
merge_write_score(const struct merge_params &p, unsigned row, bool writes, float sum, float base)
{
  __syncwarp();
  if (writes)
    p.s[row / (unsigned)p.heads * p.s_token + row % (unsigned)p.heads] = log2f(sum) + base;
}

template <typename T>
static __device__ __forceinline__ T *
merge_result(const struct merge_params &p, unsigned row)
{
  return (T *)p.v + row / (unsigned)p.heads * p.v_token + row % (unsigned)p.heads * p.v_head;
}

#ifdef KILN_HEAD_DIM

/* 16 bytes a load; `ahead` states are on their way before the first is used. */
template <typename T, int form, int columns>
static __device__ __forceinline__ void
merge_vec(const struct merge_params &p)
{
  constexpr int width = lanes<T>::count, vectors = columns / width, threads = MERGE_LANES(vectors);
  constexpr int each = (vectors + threads - 1) / threads, ahead = form == MERGE_TWO ? 2 : each > 2 ? 2 : 4;
  const unsigned wanted = blockIdx.x * (MERGE_THREADS / threads) + threadIdx.x / threads;
  const bool here = wanted < (unsigned)p.rows;
  const unsigned row = here ? wanted : 0; /* every lane goes all the way: none may be missing at a barrier */
  const int lane = (int)threadIdx.x % threads, states = form == MERGE_TWO ? 2 : p.states;
  const merge_row<T, form> in(p, row);
  float total[each][width] = {}, sum = 0;

  allow_successor();
  if (blockIdx.x < merge_first_wave && here)
    for (int i = 0; i < min(states, ahead); i++) {
      if (lane % 8 == 0)
        prefetch_line(in.values(i) + lane * width);
      if (lane == 0)
        prefetch_line(form == MERGE_MANY ? in.s[0] + i * in.s_step : i ? in.s[1] : in.s[0]);
    }
  wait_for_predecessor();
  const float base = merge_base(in, states);
#pragma unroll 1
  for (int first = 0; first < states; first += ahead) {
    vec16 held[ahead][each];
#pragma unroll
    for (int a = 0; a < ahead; a++)
#pragma unroll
      for (int k = 0; k < each; k++) {
        const int at = (k * threads + lane) * width;
        if (first + a < states && at < columns)
          held[a][k] = load_once(in.values(first + a) + at);
      }
#pragma unroll
    for (int a = 0; a < ahead; a++) {
      const float weight = first + a < states ? exp2f(in.score(first + a) - base) : 0.0f;
      sum += weight;
#pragma unroll
      for (int k = 0; k < each; k++) {
        float x[width];
        if (weight == 0.0f || (k * threads + lane) * width >= columns)
          continue;
        unpack(held[a][k], x, T());
#pragma unroll
        for (int j = 0; j < width; j++)
          total[k][j] += weight * x[j];
      }
    }
  }
  const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
  T *out = merge_result<T>(p, row);
#pragma unroll
  for (int k = 0; k < each; k++) {
    const int at = (k * threads + lane) * width;
#pragma unroll
    for (int j = 0; j < width; j++)
      total[k][j] *= scale;
    if (here && at < columns)
      store_once(out + at, pack(total[k], T()));
  }
  merge_write_score(p, row, here && lane == 0, sum, base);
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
  const int states = form == MERGE_TWO ? 2 : p.states, lane = (int)threadIdx.x % 32;
  allow_successor();
  wait_for_predecessor();
  if (row >= (unsigned)p.rows)
    return;
  const merge_row<T, form> in(p, row);
  T *out = merge_result<T>(p, row);
  const float base = merge_base(in, states);
  float sum = 0;
  for (int i = 0; i < states; i++)
    sum += exp2f(in.score(i) - base);
  for (int column = lane; column < p.width; column += 32) {
    float total = 0;
    for (int i = 0; i < states; i++) {
      const float weight = exp2f(in.score(i) - base);
      if (weight != 0.0f)
        total += weight * to_float(in.values(i)[column]);
    }
    from_float(&out[column], sum == 0.0f ? 0.0f : total / sum);
  }
  merge_write_score(p, row, lane == 0, sum, base);
}

#define MERGE_KERNELS(name, form)                                                                                      \
  extern "C" __global__ void __launch_bounds__(MERGE_THREADS) name##_row(const struct merge_params p)                  \
  {                                                                                                                    \
    merge_any<KILN_T, form>(p);                                                                                        \
  }

#endif

#endif
