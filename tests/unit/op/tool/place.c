/* How tensors lie: strides of each form, what reaches far, and what is a piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "op/tool/place.h"

static struct kiln_place
placed(unsigned ndim, const int64_t *extent, unsigned flags, const uint8_t *perm, enum kiln_form form, unsigned size)
{
  const struct kiln_arg arg = {.name = "x", .kind = KILN_ARG_TENSOR, .ndim = (uint8_t)ndim, .flags = (uint16_t)flags};
  struct kiln_place place = {.ndim = ndim};
  memcpy(place.extent, extent, ndim * sizeof *extent);
  kiln_place_tensor(&place, &arg, perm, form, size);
  return place;
}

static void
test_near_forms(void **state)
{
  static const int64_t extent[] = {3, 4, 5}, wanted[3][2] = {{20, 5}, {25, 6}, {60, 13}};
  (void)state;
  for (int form = KILN_FORM_COMPACT; form <= KILN_FORM_ALIGNED; form++) {
    const struct kiln_place place = placed(3, extent, 0, NULL, (enum kiln_form)form, 4);
    assert_int_equal(place.strides[0], wanted[form][0]);
    assert_int_equal(place.strides[1], wanted[form][1]);
    assert_int_equal(place.strides[2], 1);
    assert_int_equal(place.pieces, 1);
    assert_int_equal(place.piece, 2 * wanted[form][0] + 3 * wanted[form][1] + 4 + 1);
  }
  const struct kiln_place dense = placed(3, extent, KILN_CONTIGUOUS, NULL, KILN_FORM_ODD, 4);
  assert_int_equal(dense.strides[0], 20);
}

/* The middle row and all behind it lie beyond 31 bits of elements and 32 bits of bytes, aligned; others are compact. */
static void
test_far_rows(void **state)
{
  static const int64_t rows[] = {2, 3, 4, 5, 33, 512};
  static const unsigned sizes[] = {1, 2, 4, 8};
  (void)state;
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 4; k++) {
      const int64_t extent[] = {rows[i], 4, 5};
      const struct kiln_place place = placed(3, extent, 0, NULL, KILN_FORM_FAR, sizes[k]);
      const int64_t at = kiln_place_index(&place, (rows[i] / 2) * 20);
      assert_int_equal(at, rows[i] / 2 * place.strides[0]);
      assert_true(at >= INT64_C(1) << 31 && at * sizes[k] >= INT64_C(1) << 32);
      assert_int_equal(place.strides[0] * sizes[k] % 32, 0);
      assert_int_equal(place.strides[1], 5);
      assert_int_equal(place.pieces, rows[i]);
      assert_int_equal(place.piece, 20);
      assert_int_equal(place.apart, place.strides[0]);
    }
}

/* Any dimension but the last; the others close up as if it were not there. */
static void
test_far_inner(void **state)
{
  static const int64_t extent[] = {3, 4, 6, 5};
  (void)state;
  const struct kiln_place one = placed(4, extent, 0, NULL, KILN_FORM_FAR_1, 2);
  assert_int_equal(one.strides[0], 30);
  assert_int_equal(one.strides[2], 5);
  assert_true(2 * one.strides[1] >= INT64_C(1) << 31);
  assert_int_equal(one.pieces, 4);
  assert_int_equal(one.piece, 90);
  const struct kiln_place two = placed(4, extent, 0, NULL, KILN_FORM_FAR_2, 2);
  assert_int_equal(two.strides[0], 20);
  assert_int_equal(two.strides[1], 5);
  assert_true(3 * two.strides[2] >= INT64_C(1) << 31);
  /* In memory order: 3, 6, 4, 5. */
  const uint8_t perm[] = {0, 2, 1, 3};
  const struct kiln_place turned = placed(4, extent, 0, perm, KILN_FORM_FAR_1, 2);
  assert_int_equal(turned.shape[1], 6);
  assert_true(3 * turned.strides[1] >= INT64_C(1) << 31);
  assert_int_equal(turned.step[2], turned.strides[1]);
  assert_int_equal(turned.step[1], 5);
  assert_int_equal(kiln_place_index(&turned, 1 * 120 + 2 * 30 + 3 * 5 + 4), 20 + 2 * 5 + 3 * turned.strides[1] + 4);
}

static void
assert_near(unsigned ndim, const int64_t *extent, unsigned flags, enum kiln_form form)
{
  const struct kiln_place place = placed(ndim, extent, flags, NULL, form, 2);
  assert_int_equal(place.pieces, 1);
  assert_true(ndim == 0 || place.strides[0] < 10000);
}

static void
test_what_cannot_be_far(void **state)
{
  (void)state;
  assert_near(0, (const int64_t[]){0}, 0, KILN_FORM_FAR);
  assert_near(1, (const int64_t[]){7}, 0, KILN_FORM_FAR);
  assert_near(2, (const int64_t[]){1, 8}, 0, KILN_FORM_FAR);
  assert_near(2, (const int64_t[]){KILN_PLACE_ROWS + 1, 8}, 0, KILN_FORM_FAR);
  assert_near(2, (const int64_t[]){4, 8}, KILN_CONTIGUOUS, KILN_FORM_FAR);
  assert_near(2, (const int64_t[]){4, 8}, 0, KILN_FORM_FAR_1);
  assert_near(3, (const int64_t[]){4, 8, 8}, 0, KILN_FORM_FAR_2);
  const struct kiln_place empty = placed(2, (const int64_t[]){4, 0}, 0, NULL, KILN_FORM_FAR, 2);
  assert_int_equal(empty.piece, 0);
  assert_int_equal(empty.pieces, 1);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_near_forms),
      cmocka_unit_test(test_far_rows),
      cmocka_unit_test(test_far_inner),
      cmocka_unit_test(test_what_cannot_be_far),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
