/*
 * For cpu.c of every op: elements of every dtype as float, written for a compiler that makes vectors of loops.
 *
 * A type variable T arrives as -DKILN_T=bf16 (f16, bf16, f32, e4m3, e5m2, i32, i64, u8). KILN_LOAD(KILN_T, base, i) is
 * element i as float (integers: as long long), KILN_STORE(KILN_T, base, i, value) rounds to nearest even, fp8
 * saturates.
 */
#ifndef KILN_CPU_H
#define KILN_CPU_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define KILN_JOIN_(a, b) a##b
#define KILN_JOIN(a, b) KILN_JOIN_(a, b)
#define KILN_LOAD(T, base, i) KILN_JOIN(kiln_load_, T)((base), (i))
#define KILN_STORE(T, base, i, value) KILN_JOIN(kiln_store_, T)((base), (i), (value))
#define KILN_BYTES(T) KILN_JOIN(kiln_bytes_, T)

enum {
  kiln_bytes_f16 = 2,
  kiln_bytes_bf16 = 2,
  kiln_bytes_f32 = 4,
  kiln_bytes_e4m3 = 1,
  kiln_bytes_e5m2 = 1,
  kiln_bytes_i32 = 4,
  kiln_bytes_i64 = 8,
  kiln_bytes_u8 = 1
};

static inline uint32_t
kiln_bits_of(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float
kiln_float_of(uint32_t bits)
{
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* ---- f32 ---- */

static inline float
kiln_load_f32(const void *base, long long i)
{
  return ((const float *)base)[i];
}

static inline void
kiln_store_f32(void *base, long long i, float value)
{
  ((float *)base)[i] = value;
}

/* ---- bf16: the upper half of a float ---- */

static inline float
kiln_load_bf16(const void *base, long long i)
{
  return kiln_float_of((uint32_t)((const uint16_t *)base)[i] << 16);
}

static inline void
kiln_store_bf16(void *base, long long i, float value)
{
  const uint32_t bits = kiln_bits_of(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  ((uint16_t *)base)[i] = (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : rounded);
}

/* ---- f16 ---- */

/* 2^112 moves the exponent from bias 15 to bias 127, subnormal numbers included. */
static inline float
kiln_f16_to_float(uint16_t half)
{
  const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
  const uint32_t special = (half & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
  return kiln_float_of((kiln_bits_of(kiln_float_of(magnitude) * 0x1p112f) | special) | (uint32_t)(half & 0x8000) << 16);
}

static inline uint16_t
kiln_f16_of_float(float value)
{
  const uint32_t bits = kiln_bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  /* Below 2^-14 adding 0.5 leaves the multiples of 2^-24 in the low bits, rounded. */
  const uint32_t small = kiln_bits_of(kiln_float_of(magnitude) + 0.5f) - 0x3f000000;
  const uint32_t normal = (magnitude + 0xc8000fff + (magnitude >> 13 & 1)) >> 13;
  uint32_t half = magnitude < 0x38800000 ? small : normal;
  half = magnitude >= 0x477ff000 ? 0x7c00 : half;
  half = magnitude > 0x7f800000 ? 0x7e00 : half;
  return (uint16_t)(sign | half);
}

static inline float
kiln_load_f16(const void *base, long long i)
{
  return kiln_f16_to_float(((const uint16_t *)base)[i]);
}

static inline void
kiln_store_f16(void *base, long long i, float value)
{
  ((uint16_t *)base)[i] = kiln_f16_of_float(value);
}

/* ---- fp8: saturating, as the conversions of GPUs are ---- */

/* Round the magnitude of a float to `mantissa` bits with the smallest normal exponent `least`; the bits of the result
 * without sign, biased so that the code of 2^least is 1 << mantissa. */
static inline uint32_t
kiln_fp8_round(uint32_t magnitude, int mantissa, int least)
{
  const int drop = 23 - mantissa;
  if (magnitude < (uint32_t)(least + 127) << 23) {
    const float scaled = kiln_float_of(magnitude) * ldexpf(1.0f, mantissa - least);
    return (uint32_t)lrintf(scaled);
  }
  const uint32_t rounded = magnitude + (UINT32_C(1) << (drop - 1)) - 1 + (magnitude >> drop & 1);
  return (rounded >> drop) - ((uint32_t)(least + 126) << mantissa);
}

static inline float
kiln_load_e4m3(const void *base, long long i)
{
  const uint8_t code = ((const uint8_t *)base)[i];
  const uint32_t magnitude = (uint32_t)(code & 0x7f) << 20;
  const uint32_t bits = (code & 0x7f) == 0x7f ? 0x7fc00000 : kiln_bits_of(kiln_float_of(magnitude) * 0x1p120f);
  return kiln_float_of(bits | (uint32_t)(code & 0x80) << 24);
}

static inline void
kiln_store_e4m3(void *base, long long i, float value)
{
  const uint32_t bits = kiln_bits_of(value), magnitude = bits & 0x7fffffff;
  uint32_t code = kiln_fp8_round(magnitude < 0x43e00000 ? magnitude : 0x43e00000, 3, -6); /* 448 */
  code = magnitude > 0x7f800000 ? 0x7f : code;
  ((uint8_t *)base)[i] = (uint8_t)(code | (bits >> 24 & 0x80));
}

static inline float
kiln_load_e5m2(const void *base, long long i)
{
  return kiln_f16_to_float((uint16_t)(((const uint8_t *)base)[i] << 8));
}

static inline void
kiln_store_e5m2(void *base, long long i, float value)
{
  const uint32_t bits = kiln_bits_of(value), magnitude = bits & 0x7fffffff;
  uint32_t code = kiln_fp8_round(magnitude < 0x47600000 ? magnitude : 0x47600000, 2, -14); /* 57344 */
  code = magnitude > 0x7f800000 ? 0x7f : code;
  ((uint8_t *)base)[i] = (uint8_t)(code | (bits >> 24 & 0x80));
}

/* ---- integers ---- */

static inline long long
kiln_load_i32(const void *base, long long i)
{
  return ((const int32_t *)base)[i];
}

static inline void
kiln_store_i32(void *base, long long i, long long value)
{
  ((int32_t *)base)[i] = (int32_t)value;
}

static inline long long
kiln_load_i64(const void *base, long long i)
{
  return ((const int64_t *)base)[i];
}

static inline void
kiln_store_i64(void *base, long long i, long long value)
{
  ((int64_t *)base)[i] = value;
}

static inline long long
kiln_load_u8(const void *base, long long i)
{
  return ((const uint8_t *)base)[i];
}

static inline void
kiln_store_u8(void *base, long long i, long long value)
{
  ((uint8_t *)base)[i] = (uint8_t)value;
}

/* ---- places ---- */

/* Address of the element `offset` elements behind base. */
#define KILN_AT(T, base, offset) ((void *)((char *)(base) + (long long)(offset)*KILN_BYTES(T)))
#define KILN_AT_CONST(T, base, offset) ((const void *)((const char *)(base) + (long long)(offset)*KILN_BYTES(T)))

#endif
