/*
 * Gated activations for CUDA: out = activation(first half of the row) * second half. device.cu defines the function
 * activate(float) and then the kernels by GATE_KERNELS(name).
 */
#ifndef KILN_GATE_DEVICE_H
#define KILN_GATE_DEVICE_H

#include "gate_params.h"
#include "kiln_device.h"

/* x / (1 + e^-y): x times the logistic function of y. */
static __device__ __forceinline__ float
times_logistic(float x, float y)
{
  return __fdividef(x, 1.0f + __expf(-y));
}

#ifdef KILN_VARIANT_VEC

/* Vectors of all rows in one count, so that no width leaves threads idle; all loads of a thread before the first use.
 */
template <typename T, float (*activate)(float)>
static __device__ __forceinline__ void
gate_vec(const struct gate_params &p)
{
  constexpr int width = lanes<T>::count;
  constexpr unsigned vectors = KILN_HIDDEN_SIZE / width;
  const unsigned long long first = (unsigned long long)blockIdx.x * (unsigned)p.each * GATE_THREADS;
  const long long row0 = (long long)(first / vectors);
  const unsigned column0 = (unsigned)(first % vectors);
  vec16 gate[GATE_EACH], factor[GATE_EACH];
  T *out[GATE_EACH];

  allow_successor();
  wait_for_predecessor();
#pragma unroll
  for (int i = 0; i < GATE_EACH; i++) {
    const unsigned at = column0 + (unsigned)i * GATE_THREADS + threadIdx.x;
    const long long row = row0 + at / vectors;
    const unsigned column = at % vectors * width;
    const T *input = (const T *)p.input + row * p.input_stride + column;
    out[i] = i < p.each && row < p.rows ? (T *)p.out + row * p.out_stride + column : nullptr;
    if (out[i]) {
      gate[i] = load_once(input);
      factor[i] = load_once(input + KILN_HIDDEN_SIZE);
    }
  }
#pragma unroll
  for (int i = 0; i < GATE_EACH; i++) {
    float x[width], y[width];
    if (!out[i])
      continue;
    unpack(gate[i], x, T());
    unpack(factor[i], y, T());
#pragma unroll
    for (int k = 0; k < width; k++)
      x[k] = activate(x[k]) * y[k];
    store_once(out[i], pack(x, T()));
  }
}

#define GATE_KERNELS(name)                                                                                             \
  extern "C" __global__ void __launch_bounds__(GATE_THREADS) name##_vec(const struct gate_params p)                    \
  {                                                                                                                    \
    gate_vec<KILN_T, activate>(p);                                                                                     \
  }

#else

/* A block a row: any width, any alignment. */
template <typename T, float (*activate)(float)>
static __device__ __forceinline__ void
gate_row(const struct gate_params &p)
{
  const long long row = blockIdx.x;
  const T *input = (const T *)p.input + row * p.input_stride;
  T *out = (T *)p.out + row * p.out_stride;
  allow_successor();
  wait_for_predecessor();
  for (int i = (int)threadIdx.x; i < p.width; i += GATE_THREADS)
    from_float(&out[i], activate(to_float(input[i])) * to_float(input[p.width + i]));
}

#define GATE_KERNELS(name)                                                                                             \
  extern "C" __global__ void __launch_bounds__(GATE_THREADS) name##_row(const struct gate_params p)                    \
  {                                                                                                                    \
    gate_row<KILN_T, activate>(p);                                                                                     \
  }

#endif

#endif
