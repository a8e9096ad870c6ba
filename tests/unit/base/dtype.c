/* Elements of every dtype: against the compiler's own floats, the definition of each format, and what kernels use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "kernels/include/kiln_cpu.h"

static uint64_t
next(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 16;
}

static bool
same(double a, double b)
{
  return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

static void
test_names(void **state)
{
  (void)state;
  for (unsigned i = 1; i < KILN_DTYPE_COUNT; i++) {
    const enum kiln_dtype dtype = (enum kiln_dtype)i;
    assert_int_equal(kiln_dtype_parse(kiln_dtype_name(dtype)), dtype);
    assert_int_equal(kiln_dtype_parse(kiln_dtype_short_name(dtype)), dtype);
    assert_int_equal(kiln_dtype_of_tensor(kiln_dtype_to_tensor(dtype)), dtype);
    assert_int_equal(kiln_dtype_to_tensor(dtype).bits, kiln_dtype_bits(dtype));
  }
  assert_int_equal(kiln_dtype_parse("float64"), KILN_DTYPE_NONE);
  assert_string_equal(kiln_dtype_name((enum kiln_dtype)99), "unknown");
  assert_int_equal(kiln_dtype_of_tensor((struct kiln_tensor_type){2, 16, 2}), KILN_DTYPE_NONE);
}

/* Every code that is read and written again is the same code; NaN stays NaN. */
static void
test_every_code_round_trips(void **state)
{
  static const enum kiln_dtype dtypes[] = {KILN_DTYPE_F16, KILN_DTYPE_BF16, KILN_DTYPE_E4M3, KILN_DTYPE_E5M2};
  (void)state;
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
    for (uint32_t code = 0; code < UINT32_C(1) << kiln_dtype_bits(dtypes[i]); code++) {
      uint16_t word = (uint16_t)code, back = 0;
      const double value = kiln_dtype_load(dtypes[i], &word, 0);
      kiln_dtype_store(dtypes[i], &back, 0, value);
      if (isinf(value) && kiln_dtype_bits(dtypes[i]) == 8)
        continue; /* saturates */
      if (!isnan(value) && back != word)
        fail_msg("%s: %#x becomes %#x", kiln_dtype_name(dtypes[i]), word, back);
      assert_true(same(value, kiln_dtype_load(dtypes[i], &back, 0)));
    }
}

/* What kernels read is the same number, and what they write the same code. */
static void
test_kernels_agree(void **state)
{
  uint64_t rng = 1;
  (void)state;
  for (uint32_t code = 0; code < 65536; code++) {
    uint16_t word = (uint16_t)code;
    uint8_t byte = (uint8_t)code;
    assert_true(same(kiln_dtype_load(KILN_DTYPE_F16, &word, 0), (double)kiln_load_f16(&word, 0)));
    assert_true(same(kiln_dtype_load(KILN_DTYPE_BF16, &word, 0), (double)kiln_load_bf16(&word, 0)));
    if (code < 256) {
      assert_true(same(kiln_dtype_load(KILN_DTYPE_E4M3, &byte, 0), (double)kiln_load_e4m3(&byte, 0)));
      assert_true(same(kiln_dtype_load(KILN_DTYPE_E5M2, &byte, 0), (double)kiln_load_e5m2(&byte, 0)));
    }
  }
  for (int i = 0; i < 400000; i++) {
    const uint32_t bits = (uint32_t)next(&rng);
    uint16_t a = 0, b = 0;
    uint8_t c = 0, d = 0;
    float value;
    memcpy(&value, &bits, sizeof value);
    if (i % 2)
      value = ldexpf((float)(int32_t)bits, -31 - (int)(next(&rng) % 30));
    if (isnan(value))
      continue;
    kiln_dtype_store(KILN_DTYPE_F16, &a, 0, value);
    kiln_store_f16(&b, 0, value);
    assert_int_equal(a, b);
    kiln_dtype_store(KILN_DTYPE_BF16, &a, 0, value);
    kiln_store_bf16(&b, 0, value);
    assert_int_equal(a, b);
    kiln_dtype_store(KILN_DTYPE_E4M3, &c, 0, value);
    kiln_store_e4m3(&d, 0, value);
    assert_int_equal(c, d);
    kiln_dtype_store(KILN_DTYPE_E5M2, &c, 0, value);
    kiln_store_e5m2(&d, 0, value);
    assert_int_equal(c, d);
  }
}

/* float32 is what the compiler does. */
static void
test_float32_is_a_cast(void **state)
{
  uint64_t rng = 2;
  (void)state;
  for (int i = 0; i < 400000; i++) {
    const double value = ldexp((double)(int64_t)(next(&rng) << 16), -63 - (int)(next(&rng) % 200) + 100);
    float stored;
    kiln_dtype_store(KILN_DTYPE_F32, &stored, 0, value);
    assert_true(stored == (float)value);
    assert_true(kiln_dtype_round(KILN_DTYPE_F32, value) == (double)(float)value);
  }
}

static void
test_rounding(void **state)
{
  (void)state;
  assert_true(kiln_dtype_round(KILN_DTYPE_E4M3, 449) == 448);
  assert_true(kiln_dtype_round(KILN_DTYPE_E4M3, -1e9) == -448);
  assert_true(kiln_dtype_round(KILN_DTYPE_E5M2, 1e9) == 57344);
  assert_true(isinf(kiln_dtype_round(KILN_DTYPE_F16, 65520)));
  assert_true(kiln_dtype_round(KILN_DTYPE_F16, 65519) == 65504);
  assert_true(kiln_dtype_round(KILN_DTYPE_BF16, 1 + 0x1p-8) == 1);          /* a tie, to even */
  assert_true(kiln_dtype_round(KILN_DTYPE_BF16, 1 + 0x3p-8) == 1 + 0x1p-6); /* a tie, to even */
  assert_true(kiln_dtype_round(KILN_DTYPE_F16, 0x1p-25) == 0);              /* half the smallest */
  assert_true(kiln_dtype_round(KILN_DTYPE_F16, 0x1.8p-25) == 0x1p-24);
  assert_true(kiln_dtype_round(KILN_DTYPE_I32, -2.7) == -2);
}

static void
test_integers(void **state)
{
  int64_t wide[2] = {0, 0};
  int32_t narrow[2] = {0, 0};
  uint8_t bytes[2] = {0, 0};
  (void)state;
  kiln_dtype_store_integer(KILN_DTYPE_I64, wide, 1, INT64_MAX - 1);
  assert_int_equal(kiln_dtype_load_integer(KILN_DTYPE_I64, wide, 1), INT64_MAX - 1);
  kiln_dtype_store_integer(KILN_DTYPE_I32, narrow, 1, -5);
  assert_int_equal(kiln_dtype_load_integer(KILN_DTYPE_I32, narrow, 1), -5);
  kiln_dtype_store(KILN_DTYPE_U8, bytes, 1, 200);
  assert_int_equal(kiln_dtype_load_integer(KILN_DTYPE_U8, bytes, 1), 200);
  assert_int_equal(wide[0] + narrow[0] + bytes[0], 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_every_code_round_trips),
      cmocka_unit_test(test_kernels_agree),
      cmocka_unit_test(test_float32_is_a_cast),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
