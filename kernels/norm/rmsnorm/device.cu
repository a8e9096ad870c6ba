#include "kiln_device.h"
#include "params.h"

#ifdef KILN_HIDDEN_SIZE

/* A block a row; the row stays in registers between the sum and the result. */
extern "C" __global__ void
__launch_bounds__(RMSNORM_VEC_THREADS(KILN_HIDDEN_SIZE / lanes<KILN_T>::count))
rmsnorm_vec(const struct rmsnorm_params p)
{
  constexpr int width = lanes<KILN_T>::count;
  constexpr int vectors = KILN_HIDDEN_SIZE / width;
  constexpr int threads = RMSNORM_VEC_THREADS(vectors);
  constexpr int each = (vectors + threads - 1) / threads;
  const long long row = blockIdx.x;
  const KILN_T *input = (const KILN_T *)p.input + row * p.input_stride;
  KILN_T *out = (KILN_T *)p.out + row * p.out_stride;
  const KILN_T *weight = (const KILN_T *)p.weight;
  vec16 held[each];
  float squares = 0;

  wait_for_predecessor();
#pragma unroll
  for (int i = 0; i < each; i++) {
    const int at = i * threads + (int)threadIdx.x;
    if (at < vectors)
      held[i] = load_plain(input + at * width);
  }
#pragma unroll
  for (int i = 0; i < each; i++) {
    float x[width];
    if (i * threads + (int)threadIdx.x < vectors) {
      unpack(held[i], x, KILN_T());
#pragma unroll
      for (int k = 0; k < width; k++)
        squares += x[k] * x[k];
    }
  }
  const float scale = rsqrtf(block_sum(squares) / (float)KILN_HIDDEN_SIZE + p.eps);
  allow_successor();
#pragma unroll
  for (int i = 0; i < each; i++) {
    const int at = i * threads + (int)threadIdx.x;
    float x[width], w[width];
    if (at < vectors) {
      unpack(held[i], x, KILN_T());
      unpack(load_shared_by_all(weight + at * width), w, KILN_T());
#pragma unroll
      for (int k = 0; k < width; k++)
        x[k] = x[k] * scale * w[k];
      store_once(out + at * width, pack(x, KILN_T()));
    }
  }
}

#else

/* Any size, any alignment. */
extern "C" __global__ void
rmsnorm_row(const struct rmsnorm_params p)
{
  const long long row = blockIdx.x;
  const KILN_T *input = (const KILN_T *)p.input + row * p.input_stride;
  KILN_T *out = (KILN_T *)p.out + row * p.out_stride;
  const KILN_T *weight = (const KILN_T *)p.weight;
  float squares = 0;
  wait_for_predecessor();
  for (int i = (int)threadIdx.x; i < p.hidden_size; i += (int)blockDim.x) {
    const float x = to_float(input[i]);
    squares += x * x;
  }
  const float scale = rsqrtf(block_sum(squares) / (float)p.hidden_size + p.eps);
  allow_successor();
  for (int i = (int)threadIdx.x; i < p.hidden_size; i += (int)blockDim.x)
    from_float(&out[i], to_float(input[i]) * scale * to_float(weight[i]));
}

#endif
