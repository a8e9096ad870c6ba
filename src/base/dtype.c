#include "base/dtype.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* What each dtype is. Floating types: mantissa bits, exponent of the smallest normal number, largest finite number. */
struct description {
  const char *name, *short_name;
  uint8_t code, bits;
  uint8_t mantissa;
  int16_t least;
  double most;
};

static const struct description descriptions[KILN_DTYPE_COUNT] = {
    [KILN_DTYPE_NONE] = {"none", "none", 0, 0, 0, 0, 0},
    [KILN_DTYPE_F16] = {"float16", "f16", 2, 16, 10, -14, 65504},
    [KILN_DTYPE_BF16] = {"bfloat16", "bf16", 4, 16, 7, -126, 0x1.fep127},
    [KILN_DTYPE_F32] = {"float32", "f32", 2, 32, 23, -126, 0x1.fffffep127},
    [KILN_DTYPE_E4M3] = {"float8_e4m3fn", "e4m3", 10, 8, 3, -6, 448},
    [KILN_DTYPE_E5M2] = {"float8_e5m2", "e5m2", 12, 8, 2, -14, 57344},
    [KILN_DTYPE_I32] = {"int32", "i32", 0, 32, 0, 0, 0},
    [KILN_DTYPE_I64] = {"int64", "i64", 0, 64, 0, 0, 0},
    [KILN_DTYPE_U8] = {"uint8", "u8", 1, 8, 0, 0, 0},
    [KILN_DTYPE_BOOL] = {"bool", "bool", 6, 8, 0, 0, 0},
};

static const struct description *
describe(enum kiln_dtype dtype)
{
  return &descriptions[(unsigned)dtype < KILN_DTYPE_COUNT ? dtype : KILN_DTYPE_NONE];
}

const char *
kiln_dtype_name(enum kiln_dtype dtype)
{
  return dtype == KILN_DTYPE_NONE || (unsigned)dtype >= KILN_DTYPE_COUNT ? "unknown" : descriptions[dtype].name;
}

unsigned
kiln_dtype_bits(enum kiln_dtype dtype)
{
  return describe(dtype)->bits;
}

const char *
kiln_dtype_short_name(enum kiln_dtype dtype)
{
  return describe(dtype)->short_name;
}

enum kiln_dtype
kiln_dtype_parse(const char *name)
{
  for (unsigned i = 1; i < KILN_DTYPE_COUNT; i++)
    if (strcmp(descriptions[i].name, name) == 0 || strcmp(descriptions[i].short_name, name) == 0)
      return (enum kiln_dtype)i;
  return KILN_DTYPE_NONE;
}

struct kiln_tensor_type
kiln_dtype_to_tensor(enum kiln_dtype dtype)
{
  const struct description *it = describe(dtype);
  return (struct kiln_tensor_type){it->code, it->bits, 1};
}

enum kiln_dtype
kiln_dtype_of_tensor(struct kiln_tensor_type type)
{
  for (unsigned i = 1; i < KILN_DTYPE_COUNT; i++)
    if (descriptions[i].code == type.code && descriptions[i].bits == type.bits && type.lanes == 1)
      return (enum kiln_dtype)i;
  return KILN_DTYPE_NONE;
}

bool
kiln_dtype_is_real(enum kiln_dtype dtype)
{
  return describe(dtype)->mantissa > 0;
}

/* ---- floating types ---- */

/*
 * Most numbers are normal ones: there the bits of a double are rounded, shortened and lengthened by integers. What is
 * left (zero, subnormal numbers, the ends of the range) goes the long way.
 */
#define DOUBLE_MANTISSA 52
#define DOUBLE_BIAS 1023
#define DOUBLE_SIGN (UINT64_C(1) << 63)

static uint64_t
bits_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double
double_of(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool
is_plain(const struct description *it, double value)
{
  const int exponent = (int)(bits_of(value) >> DOUBLE_MANTISSA & 0x7ff) - DOUBLE_BIAS;
  return exponent >= it->least && fabs(value) < it->most;
}

static double
round_plain(const struct description *it, double value)
{
  const unsigned drop = DOUBLE_MANTISSA - it->mantissa;
  const uint64_t bits = bits_of(value);
  const uint64_t half = (UINT64_C(1) << (drop - 1)) - 1 + (bits >> drop & 1);
  return double_of((bits + half) >> drop << drop);
}

/* The nearest number with this many mantissa bits, to even; subnormal ones are multiples of 2^(least - mantissa). */
static double
nearest(const struct description *it, double value)
{
  int exponent;
  if (value == 0 || !isfinite(value))
    return value;
  (void)frexp(value, &exponent);
  exponent -= 1;
  const int step = (exponent < it->least ? it->least : exponent) - it->mantissa;
  return ldexp(rint(ldexp(value, -step)), step);
}

/* fp8 has no infinity to round to, or does not use it. */
static double
within(const struct description *it, double value)
{
  if (!(fabs(value) > it->most))
    return value;
  return copysign(it->bits == 8 ? it->most : HUGE_VAL, value);
}

double
kiln_dtype_round(enum kiln_dtype dtype, double value)
{
  const struct description *it = describe(dtype);
  if (!it->mantissa)
    return trunc(value);
  return is_plain(it, value) ? round_plain(it, value) : within(it, nearest(it, value));
}

/* Bits of a rounded number, without sign: exponent above mantissa. */
static uint32_t
encode(const struct description *it, double magnitude)
{
  const uint32_t all = (UINT32_C(1) << (it->bits - 1)) - 1, exponents = all >> it->mantissa << it->mantissa;
  int exponent;
  if (is_plain(it, magnitude))
    return (uint32_t)((bits_of(magnitude) >> (DOUBLE_MANTISSA - it->mantissa)) -
                      ((uint64_t)(DOUBLE_BIAS + it->least - 1) << it->mantissa));
  if (isnan(magnitude))
    return it->most == 448 ? all : exponents | (UINT32_C(1) << (it->mantissa - 1));
  if (isinf(magnitude))
    return exponents;
  (void)frexp(magnitude, &exponent);
  exponent -= 1;
  if (magnitude == 0 || exponent < it->least)
    return (uint32_t)ldexp(magnitude, it->mantissa - it->least);
  return ((uint32_t)(exponent - it->least) << it->mantissa) + (uint32_t)ldexp(magnitude, it->mantissa - exponent);
}

static double
decode(const struct description *it, uint32_t bits)
{
  const uint32_t all = (UINT32_C(1) << (it->bits - 1)) - 1, magnitude = bits & all;
  const uint32_t exponents = all >> it->mantissa << it->mantissa, mantissa = magnitude & (all ^ exponents);
  const int exponent = (int)(magnitude >> it->mantissa);
  double value;
  if (exponent > 0 && magnitude < exponents)
    return double_of((((uint64_t)magnitude + ((uint64_t)(DOUBLE_BIAS + it->least - 1) << it->mantissa))
                         << (DOUBLE_MANTISSA - it->mantissa)) |
                     (bits > all ? DOUBLE_SIGN : 0));
  if (it->most == 448 ? magnitude == all : magnitude > exponents)
    value = NAN;
  else if (it->most != 448 && magnitude == exponents)
    value = HUGE_VAL;
  else if (exponent == 0)
    value = ldexp(mantissa, it->least - it->mantissa);
  else
    value = ldexp((double)(mantissa + (UINT32_C(1) << it->mantissa)), exponent - 1 + it->least - it->mantissa);
  return bits > all ? -value : value;
}

static uint32_t
load_bits(unsigned bits, const void *array, int64_t i)
{
  uint32_t word = 0;
  uint16_t half;
  if (bits == 32)
    memcpy(&word, (const char *)array + 4 * i, 4);
  else if (bits == 16) {
    memcpy(&half, (const char *)array + 2 * i, 2);
    word = half;
  } else
    word = ((const uint8_t *)array)[i];
  return word;
}

static void
store_bits(unsigned bits, void *array, int64_t i, uint32_t word)
{
  const uint16_t half = (uint16_t)word;
  if (bits == 32)
    memcpy((char *)array + 4 * i, &word, 4);
  else if (bits == 16)
    memcpy((char *)array + 2 * i, &half, 2);
  else
    ((uint8_t *)array)[i] = (uint8_t)word;
}

double
kiln_dtype_load(enum kiln_dtype dtype, const void *array, int64_t i)
{
  const struct description *it = describe(dtype);
  return it->mantissa ? decode(it, load_bits(it->bits, array, i)) : (double)kiln_dtype_load_integer(dtype, array, i);
}

void
kiln_dtype_store(enum kiln_dtype dtype, void *array, int64_t i, double value)
{
  const struct description *it = describe(dtype);
  if (!it->mantissa) {
    kiln_dtype_store_integer(dtype, array, i, (int64_t)value);
    return;
  }
  const double rounded = kiln_dtype_round(dtype, value);
  const uint32_t sign = signbit(rounded) ? UINT32_C(1) << (it->bits - 1) : 0;
  store_bits(it->bits, array, i, encode(it, fabs(rounded)) | sign);
}

/* ---- integers ---- */

int64_t
kiln_dtype_load_integer(enum kiln_dtype dtype, const void *array, int64_t i)
{
  int64_t value;
  if (dtype == KILN_DTYPE_I64) {
    memcpy(&value, (const char *)array + 8 * i, 8);
    return value;
  }
  const uint32_t word = load_bits(kiln_dtype_bits(dtype), array, i);
  return dtype == KILN_DTYPE_I32 ? (int64_t)(int32_t)word : (int64_t)word;
}

void
kiln_dtype_store_integer(enum kiln_dtype dtype, void *array, int64_t i, int64_t value)
{
  if (dtype == KILN_DTYPE_I64)
    memcpy((char *)array + 8 * i, &value, 8);
  else
    store_bits(kiln_dtype_bits(dtype), array, i, (uint32_t)value);
}
