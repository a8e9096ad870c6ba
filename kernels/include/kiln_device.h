/*
 * For device.cu of every op: element types, conversions by inline PTX, 16-byte vectors, reductions. No toolkit header
 * is included, so that a compile stays near the cost of an empty one. Compiles with NVRTC and nvcc for sm_80 and later.
 *
 * A type variable T arrives as -DKILN_T=bf16 (f16, bf16, f32, e4m3, e5m2, u8, i32, i64). All arithmetic is in float.
 */
#ifndef KILN_DEVICE_H
#define KILN_DEVICE_H

struct f16 {
  unsigned short bits;
};
struct bf16 {
  unsigned short bits;
};
struct e4m3 {
  unsigned char bits;
};
struct e5m2 {
  unsigned char bits;
};
using u8 = unsigned char;
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

/* ---- fp8: saturating, to nearest even ---- */

/* Where there is no instruction: the magnitude of a float with `mantissa` bits and the smallest normal exponent
 * `least`, at most `largest`. */
static __device__ __forceinline__ unsigned
fp8_bits(float value, int mantissa, int least, unsigned largest)
{
  const unsigned bits = __float_as_uint(value), sign = bits >> 24 & 0x80, nan = (bits & 0x7fffffff) > 0x7f800000;
  const unsigned magnitude = min(bits & 0x7fffffff, largest);
  const int drop = 23 - mantissa;
  const unsigned rounded = magnitude + (1u << (drop - 1)) - 1 + (magnitude >> drop & 1);
  const unsigned normal = (rounded >> drop) - ((unsigned)(least + 126) << mantissa);
  const float scale = __uint_as_float((unsigned)(127 + mantissa - least) << 23);
  const unsigned small = (unsigned)__float2int_rn(__uint_as_float(magnitude) * scale);
  return sign | (nan ? 0x7f : magnitude < (unsigned)(least + 127) << 23 ? small : normal);
}

/* Two at once, the first in the low byte. */
static __device__ __forceinline__ unsigned
fp8_pair(float low, float high, e4m3)
{
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return fp8_bits(low, 3, -6, 0x43e00000) | fp8_bits(high, 3, -6, 0x43e00000) << 8;
#endif
}

static __device__ __forceinline__ unsigned
fp8_pair(float low, float high, e5m2)
{
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return fp8_bits(low, 2, -14, 0x47600000) | fp8_bits(high, 2, -14, 0x47600000) << 8;
#endif
}

static __device__ __forceinline__ void
from_float(e4m3 *to, float value)
{
  to->bits = (unsigned char)fp8_pair(value, 0.0f, e4m3());
}

static __device__ __forceinline__ void
from_float(e5m2 *to, float value)
{
  to->bits = (unsigned char)fp8_pair(value, 0.0f, e5m2());
}

/* ---- 16 bytes at once ---- */

struct alignas(16) vec16 {
  unsigned word[4];
};
struct alignas(8) vec8 {
  unsigned word[2];
};

template <typename T> struct lanes {
  static constexpr int count = 16 / (int)sizeof(T);
};

/* Read once, not kept in L1. Never through the read-only path: the predecessor may still write while this kernel is
 * resident. */
static __device__ __forceinline__ vec16
load_once(const void *from)
{
  vec16 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(from));
  return v;
}

/* Read by many blocks. */
static __device__ __forceinline__ vec16
load_shared_by_all(const void *from)
{
  vec16 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
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

/* Into L2 and no further: coherent, so it may come before wait_for_predecessor. One thread for all bytes, a multiple of
 * 16. */
static __device__ __forceinline__ void
prefetch_bytes(const void *from, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(from), "r"(bytes));
#else
  (void)from, (void)bytes;
#endif
}

/* The same for the line that an element lies in. */
static __device__ __forceinline__ void
prefetch_line(const void *from)
{
  asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
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

/* The floats of a 16-byte vector of inputs as elements of `to`; fp8: eight of them. */
template <typename T>
static __device__ __forceinline__ void
store_floats(T *to, const float *in)
{
  store_once(to, pack(in, T()));
}

template <typename T>
static __device__ __forceinline__ void
store_fp8(T *to, const float *in)
{
  vec8 v;
#pragma unroll
  for (int i = 0; i < 2; i++)
    v.word[i] = fp8_pair(in[4 * i], in[4 * i + 1], T()) | fp8_pair(in[4 * i + 2], in[4 * i + 3], T()) << 16;
  *(vec8 *)to = v;
}

static __device__ __forceinline__ void
store_floats(e4m3 *to, const float *in)
{
  store_fp8(to, in);
}

static __device__ __forceinline__ void
store_floats(e5m2 *to, const float *in)
{
  store_fp8(to, in);
}

/* ---- approximations: one instruction each, off by 2^-22 of the result or of 1; subnormal numbers are 0 ---- */

static __device__ __forceinline__ float
exp2_approximate(float x)
{
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

static __device__ __forceinline__ float
log2_approximate(float x)
{
  float result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

static __device__ __forceinline__ float
reciprocal_approximate(float x)
{
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
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

/* Sum over `warps` warps, in every thread, of one row of the block (threadIdx.x). Once a kernel and type of use `tag`:
 * each has its own memory, so that two sums need no barrier between them. */
template <int warps, int tag>
static __device__ __forceinline__ float
row_sum(float value)
{
  __shared__ float partial[32];
  value = warp_sum(value);
  if (warps == 1)
    return value;
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = (int)threadIdx.x % 32 < warps ? partial[threadIdx.x % 32] : 0.0f;
  constexpr int first = warps > 16 ? 16 : warps > 8 ? 8 : warps > 4 ? 4 : warps > 2 ? 2 : 1;
#pragma unroll
  for (int step = first; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  return __shfl_sync(0xffffffffu, value, 0);
}

/* ---- programmatic dependent launch; without effect where it does not exist ---- */

/* Before the first read of what an earlier kernel wrote, and the first write to what it reads. Every thread of every
 * block, always: a successor relies on it that this kernel ends after the one before. */
static __device__ __forceinline__ void
wait_for_predecessor(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The next kernel may be started now; what this one still writes it sees only after its own wait. It starts once all
 * blocks have said so or ended. The first statement of a kernel is a good place where there are few blocks; where there
 * are many, the one behind the loads, since a waiting successor takes places that this kernel's own blocks need. */
static __device__ __forceinline__ void
allow_successor(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif
