/*
 * Root mean square and layer normalisation for CUDA, with their fused forms: one template for all ops of the family.
 *
 * norm_vec keeps a row in registers, so that it is read once; norm_any takes any width and alignment in two passes. A
 * kernel of device.cu is one line: NORM_KERNELS(name, types and what it does).
 */
#ifndef KILN_NORM_DEVICE_H
#define KILN_NORM_DEVICE_H

#include "kiln_device.h"
#include "norm_params.h"

/* What a kernel does beyond out = input * scale * weight. */
enum {
  NORM_PLAIN = 0,
  NORM_ONE_PLUS = 1, /* weight + 1 */
  NORM_RESIDUAL = 2, /* residual += input first; the sum is what is normalised */
  NORM_MEAN = 4,     /* the mean is taken off first; a bias is added */
  NORM_SCALED = 8,   /* the result is divided by a scale */
  NORM_HEADS = 16    /* rows may be heads */
};

/* About a block a multiprocessor: so many begin while the kernel before still writes, and more reads would only be in
 * its way. */
constexpr unsigned norm_first_blocks = 132;

template <int how> constexpr int norm_each = (how & NORM_MEAN) ? NORM_EACH_WIDE : NORM_EACH;

static __device__ __forceinline__ float
norm_divisor(const struct norm_params &p)
{
  return __fdividef(1.0f, p.scale_at ? *p.scale_at : p.scale);
}

/* Where a row begins, in elements. A division by heads compiles longer than the two steps that stand for it. */
template <int how>
static __device__ __forceinline__ void
norm_find(const struct norm_params &p, long long row, long long *input, long long *out)
{
  *input = row * p.input_stride;
  *out = row * p.out_stride;
  if (how & NORM_HEADS && p.part) {
    const unsigned token = __umulhi((unsigned)row, p.part) >> p.shift;
    *input += token * p.input_gap;
    *out += token * p.out_gap;
  }
}

/* `count` weights of type W as floats; 16 bytes a load. */
template <typename W, int count> struct norm_weights {
  static constexpr int loads = count * (int)sizeof(W) / 16;
  vec16 held[loads];
  __device__ __forceinline__ void
  load(const void *from)
  {
#pragma unroll
    for (int i = 0; i < loads; i++)
      held[i] = load_shared_by_all((const char *)from + 16 * i);
  }
  __device__ __forceinline__ void
  get(float *to) const
  {
#pragma unroll
    for (int i = 0; i < loads; i++)
      unpack(held[i], to + i * (count / loads), W());
  }
};

/* A row of threads (threadIdx.x) a row; rows of a block are independent warps.
 *
 * The successor is let in once this kernel's loads are on their way, not before: its blocks would take their places.
 * Weights come with the row; wide ones one vector ahead of their use, as registers are dearer than the wait. Rows are
 * not kept in L1, where weights stay, but for a residual that is written back to where it came from. */
template <typename T, typename W, typename O, int columns, int how>
static __device__ __forceinline__ void
norm_vec(const struct norm_params &p)
{
  constexpr bool wide = how & NORM_MEAN;
  constexpr int width = lanes<T>::count, vectors = columns / width;
  constexpr int threads = NORM_THREADS(vectors, norm_each<how>), each = (vectors + threads - 1) / threads;
  const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
  const bool here = row < p.rows;
  constexpr int step = threads * width; /* elements from one vector of a thread to its next */
  const int first = (int)threadIdx.x * width;
  long long from, to;
  norm_find<how>(p, row, &from, &to);
  const T *input = (const T *)p.input + from + first;
  T *residual = (T *)p.residual + row * p.residual_stride + first;
  O *out = (O *)p.out + to + first;
  const W *weight = (const W *)p.weight + first, *bias = (const W *)p.bias + first;
  const auto inside = [&](int i) { return vectors % threads == 0 || first + i * step < columns; };
  vec16 held[each], more[how & NORM_RESIDUAL ? each : 1];
  norm_weights<W, width> weights[each], biases[how & NORM_MEAN ? each : 1];
  float sums[how & NORM_RESIDUAL ? each : 1][width]; /* rounded ones would not do */

  if (here && threadIdx.x == 0 && blockIdx.x < norm_first_blocks) {
    prefetch_bytes(input, columns * sizeof(T));
    if (how & NORM_RESIDUAL)
      prefetch_bytes(residual, columns * sizeof(T));
    if (row == 0)
      prefetch_bytes(weight, columns * sizeof(W));
    if (row == 0 && how & NORM_MEAN)
      prefetch_bytes(bias, columns * sizeof(W));
  }
  wait_for_predecessor();
  if (!here)
    return;
#pragma unroll
  for (int i = 0; i < each; i++) {
    if (!inside(i))
      continue;
    held[i] = how & NORM_RESIDUAL ? load_plain(input + i * step) : load_once(input + i * step);
    if constexpr (how & NORM_RESIDUAL)
      more[i] = load_plain(residual + i * step);
  }
  const auto load_weights = [&](int i) {
    if (!inside(i))
      return;
    weights[i].load(weight + i * step);
    if constexpr (how & NORM_MEAN)
      biases[i].load(bias + i * step);
  };
#pragma unroll
  for (int i = 0; i < (wide ? 1 : each); i++)
    load_weights(i);
  if (!wide)
    allow_successor();
  const float divisor = how & NORM_SCALED ? norm_divisor(p) : 1.0f;
  if constexpr (how & NORM_RESIDUAL) {
#pragma unroll
    for (int i = 0; i < each; i++) {
      float x[width];
      if (!inside(i))
        continue;
      unpack(held[i], x, T());
      unpack(more[i], sums[i], T());
#pragma unroll
      for (int k = 0; k < width; k++)
        sums[i][k] += x[k];
      store_once(residual + i * step, pack(sums[i], T()));
    }
  }
  const auto value = [&](int i, float *x) {
    if constexpr (how & NORM_RESIDUAL) {
#pragma unroll
      for (int k = 0; k < width; k++)
        x[k] = sums[i][k];
    } else
      unpack(held[i], x, T());
  };
  /* Of values, or of squares of their distance from `mean`; two sums, because each addition waits for the last. */
  const auto sum = [&](bool squares, float mean) {
    float part[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < each; i++) {
      float x[width];
      if (!inside(i))
        continue;
      value(i, x);
#pragma unroll
      for (int k = 0; k < width; k++)
        part[k % 2] += squares ? (x[k] - mean) * (x[k] - mean) : x[k];
    }
    return part[0] + part[1];
  };
  constexpr float part = 1.0f / (float)columns;
  float mean = 0;
  if constexpr (how & NORM_MEAN)
    mean = row_sum<threads / 32, 0>(sum(false, 0)) * part;
  const float scale = rsqrtf(row_sum<threads / 32, 1>(sum(true, mean)) * part + p.eps) * divisor;
  if (wide)
    allow_successor();
#pragma unroll
  for (int i = 0; i < each; i++) {
    float x[width], w[width], b[width];
    if (!inside(i))
      continue;
    if (wide && i + 1 < each)
      load_weights(i + 1);
    value(i, x);
    weights[i].get(w);
    if constexpr (how & NORM_MEAN)
      biases[i].get(b);
#pragma unroll
    for (int k = 0; k < width; k++) {
      const float factor = how & NORM_ONE_PLUS ? w[k] + 1.0f : w[k];
      x[k] = (x[k] - mean) * scale * factor + (how & NORM_MEAN ? b[k] * divisor : 0.0f);
    }
    store_floats(out + i * step, x);
  }
}

/* A block of 256 a row. Each thread meets the same elements in every pass, so results may lie over inputs. */
template <typename T, typename W, typename O, int how>
static __device__ __forceinline__ void
norm_any(const struct norm_params &p)
{
  const long long row = blockIdx.x;
  long long from, to;
  norm_find<how>(p, row, &from, &to);
  const T *input = (const T *)p.input + from;
  T *residual = (T *)p.residual + row * p.residual_stride;
  O *out = (O *)p.out + to;
  const W *weight = (const W *)p.weight, *bias = (const W *)p.bias;
  const auto value = [&](int i) { return to_float(input[i]) + (how & NORM_RESIDUAL ? to_float(residual[i]) : 0.0f); };
  float sum = 0, mean = 0;
  allow_successor();
  wait_for_predecessor();
  const float divisor = how & NORM_SCALED ? norm_divisor(p) : 1.0f;
  if (how & NORM_MEAN) {
    for (int i = (int)threadIdx.x; i < p.width; i += 256)
      sum += value(i);
    mean = row_sum<8, 0>(sum) / (float)p.width;
    sum = 0;
  }
  for (int i = (int)threadIdx.x; i < p.width; i += 256) {
    const float x = value(i) - mean;
    sum += x * x;
  }
  const float scale = rsqrtf(row_sum<8, 1>(sum) / (float)p.width + p.eps) * divisor;
  for (int i = (int)threadIdx.x; i < p.width; i += 256) {
    const float x = value(i), w = to_float(weight[i]);
    if (how & NORM_RESIDUAL)
      from_float(&residual[i], x);
    from_float(&out[i], (x - mean) * scale * (how & NORM_ONE_PLUS ? w + 1.0f : w) +
                            (how & NORM_MEAN ? to_float(bias[i]) * divisor : 0.0f));
  }
}

/* The entry of a variant of an op, for elements T, weights W and results O. Where weights are wide, registers are kept
 * to 64, so that 1024 threads fit beside each other; elsewhere the compiler takes few enough. */
#ifdef KILN_VARIANT_VEC
#define NORM_KERNELS(name, T, W, O, how)                                                                               \
  constexpr int name##_vectors = KILN_HIDDEN_SIZE / lanes<T>::count;                                                   \
  constexpr int name##_block =                                                                                         \
      NORM_THREADS(name##_vectors, norm_each<how>) * NORM_ROWS(name##_vectors, norm_each<how>);                        \
  constexpr int name##_blocks = (how)&NORM_MEAN ? 1024 / name##_block : 1;                                             \
  extern "C" __global__ void __launch_bounds__(name##_block, name##_blocks) name##_vec(const struct norm_params p)     \
  {                                                                                                                    \
    norm_vec<T, W, O, KILN_HIDDEN_SIZE, how>(p);                                                                       \
  }
#else
#define NORM_KERNELS(name, T, W, O, how)                                                                               \
  extern "C" __global__ void __launch_bounds__(256) name##_row(const struct norm_params p)                             \
  {                                                                                                                    \
    norm_any<T, W, O, how>(p);                                                                                         \
  }
#endif

#endif
