#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/measure_pairs.h"
#include "probe/sequential.h"

static void
test_void_pairs(void **state)
{
  (void)state;
  assert_false(kiln_pairs_too_many_void(1, 0));
  assert_false(kiln_pairs_too_many_void(1, 1)); /* one is allowed */
  assert_true(kiln_pairs_too_many_void(2, 2));
  assert_true(kiln_pairs_too_many_void(19, 2));
  assert_false(kiln_pairs_too_many_void(20, 2));
  assert_true(kiln_pairs_too_many_void(29, 3));
}

/* However the void pairs fall, there is room for them. */
static void
test_room(void **state)
{
  (void)state;
  for (size_t valid = 1; valid <= KILN_SEQUENTIAL_MAX; valid++) {
    size_t voided = 0;
    while (!kiln_pairs_too_many_void(valid + voided, voided))
      voided++;
    assert_true(valid + voided <= KILN_MEASUREMENT_PAIRS(valid));
  }
}

static void
test_limit(void **state)
{
  (void)state;
  assert_int_equal(kiln_pairs_limit(1), 1);
  assert_int_equal(kiln_pairs_limit(10), 10);
  assert_int_equal(kiln_pairs_limit(11), 11);
  assert_int_equal(kiln_pairs_limit(44), 32);
  assert_int_equal(kiln_pairs_limit(KILN_SEQUENTIAL_MAX), KILN_SEQUENTIAL_MAX);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_void_pairs), cmocka_unit_test(test_room), cmocka_unit_test(test_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
