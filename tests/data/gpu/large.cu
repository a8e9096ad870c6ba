// A tiled matrix product in two element types, with toolkit headers, templates, shared memory and much unrolling.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

template <typename T> struct element;
template <> struct element<__half> {
  static __device__ float load(__half x) { return __half2float(x); }
  static __device__ __half store(float x) { return __float2half_rn(x); }
};
template <> struct element<__nv_bfloat16> {
  static __device__ float load(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __device__ __nv_bfloat16 store(float x) { return __float2bfloat16_rn(x); }
};

// C[m,n] = act(A[m,k] B[k,n]); a block computes TILE × TILE of C, a thread EACH × EACH.
template <typename T, int TILE, int EACH> __device__ void product(const T *a, const T *b, T *c, int m, int n, int k)
{
  __shared__ float left[TILE][TILE + 1], right[TILE][TILE + 1];
  float sum[EACH][EACH] = {};
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  const int threads = (TILE / EACH) * (TILE / EACH), me = threadIdx.x;
  const int y = me / (TILE / EACH) * EACH, x = me % (TILE / EACH) * EACH;
  for (int step = 0; step < k; step += TILE) {
    for (int i = me; i < TILE * TILE; i += threads) {
      const int r = i / TILE, s = i % TILE;
      left[r][s] = row + r < m && step + s < k ? element<T>::load(a[(row + r) * k + step + s]) : 0;
      right[r][s] = step + r < k && column + s < n ? element<T>::load(b[(step + r) * n + column + s]) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < TILE; t++)
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
          sum[i][j] = fmaf(left[y + i][t], right[t][x + j], sum[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < EACH; i++)
#pragma unroll
    for (int j = 0; j < EACH; j++)
      if (row + y + i < m && column + x + j < n) {
        const float v = sum[i][j];
        c[(row + y + i) * n + column + x + j] = element<T>::store(v / (1 + expf(-v)) + 0.5f * tanhf(v));
      }
}

} // namespace

extern "C" __global__ void product_f16(const __half *a, const __half *b, __half *c, int m, int n, int k)
{
  product<__half, 32, 4>(a, b, c, m, n, k);
}

extern "C" __global__ void product_bf16(
    const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k)
{
  product<__nv_bfloat16, 32, 4>(a, b, c, m, n, k);
}
