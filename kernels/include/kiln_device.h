/*
 * For device.cu of every op: element types, conversions by inline PTX, 16-byte vectors, reductions. No toolkit header is
 * included, so that a compile stays near the cost of an empty one. Compiles with NVRTC and nvcc for sm_80 and later.
 *
 * A type variable T arrives as -DKILN_T=bf16 (f16, bf16, f32). All arithmetic is in float.
 */
#ifndef KILN_DEVICE_H
#define KILN_DEVICE_H

struct f16 {
  unsigned short bits;
};
struct bf16 {
  unsigned short bits;
};
using f32 = float;
using i32 = int;
using i64 = long long;

/* ---- conversions, to nearest even ---- */

static __device__ __forceinline__ float
to_float(f32 value)
{
  return value;
}

static __device__ __forceinline__ float
to_float(bf16 value)
{
  return __uint_as_float((unsigned)value.bits << 16);
}

static __device__ __forceinline__ float
to_float(f16 value)
{
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
}

static __device__ __forceinline__ void
from_float(f32 *to, float value)
{
  *to = value;
}

static __device__ __forceinline__ void
from_float(bf16 *to, float value)
{
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}

static __device__ __forceinline__ void
from_float(f16 *to, float value)
{
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}

/* ---- 16 bytes at once ---- */

struct alignas(16) vec16 {
  unsigned word[4];
};

template <typename T> struct lanes {
  static constexpr int count = 16 / (int)sizeof(T);
};

/* Read once, not kept in L1. */
static __device__ __forceinline__ vec16
load_once(const void *from)
{
  vec16 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(from));
  return v;
}

/* Read by many blocks. */
static __device__ __forceinline__ vec16
load_shared_by_all(const void *from)
{
  vec16 v;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(from));
  return v;
}

/* May be written by this kernel too. */
static __device__ __forceinline__ vec16
load_plain(const void *from)
{
  vec16 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(from)
               : "memory");
  return v;
}

static __device__ __forceinline__ void
store_once(void *to, vec16 v)
{
  asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
               : "memory");
}

static __device__ __forceinline__ void
unpack(vec16 v, float *out, f32)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    out[i] = __uint_as_float(v.word[i]);
}

static __device__ __forceinline__ void
unpack(vec16 v, float *out, bf16)
{
#pragma unroll
  for (int i = 0; i < 4; i++) {
    out[2 * i] = __uint_as_float(v.word[i] << 16);
    out[2 * i + 1] = __uint_as_float(v.word[i] & 0xffff0000u);
  }
}

static __device__ __forceinline__ void
unpack(vec16 v, float *out, f16)
{
#pragma unroll
  for (int i = 0; i < 4; i++) {
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}"
        : "=f"(out[2 * i]), "=f"(out[2 * i + 1])
        : "r"(v.word[i]));
  }
}

static __device__ __forceinline__ vec16
pack(const float *in, f32)
{
  vec16 v;
#pragma unroll
  for (int i = 0; i < 4; i++)
    v.word[i] = __float_as_uint(in[i]);
  return v;
}

static __device__ __forceinline__ vec16
pack(const float *in, bf16)
{
  vec16 v;
#pragma unroll
  for (int i = 0; i < 4; i++)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v.word[i]) : "f"(in[2 * i + 1]), "f"(in[2 * i]));
  return v;
}

static __device__ __forceinline__ vec16
pack(const float *in, f16)
{
  vec16 v;
#pragma unroll
  for (int i = 0; i < 4; i++)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(v.word[i]) : "f"(in[2 * i + 1]), "f"(in[2 * i]));
  return v;
}

/* ---- reductions ---- */

static __device__ __forceinline__ float
warp_sum(float value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

/* Sum over the block, in every thread. At most 1024 threads, a multiple of 32; may be called again after a barrier. */
static __device__ __forceinline__ float
block_sum(float value)
{
  __shared__ float partial[32];
  const int warps = (int)blockDim.x / 32;
  value = warp_sum(value);
  if (warps == 1)
    return value;
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = (int)threadIdx.x % 32 < warps ? partial[threadIdx.x % 32] : 0.0f;
  return warp_sum(value);
}

/* ---- programmatic dependent launch; without effect where it does not exist ---- */

/* Before the first read of what an earlier kernel wrote. */
static __device__ __forceinline__ void
wait_for_predecessor(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The next kernel may be started now; what this one still writes it sees only after its own wait. */
static __device__ __forceinline__ void
allow_successor(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif
