#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/clock.h"
#include "os/conditions.h"
#include "os/random.h"

static void
fraction_or_unknown(double value)
{
  assert_true(value < 0 || (value >= 0 && value <= 1));
}

static void
test_fractions(void **state)
{
  struct kiln_conditions_mark begin;
  struct kiln_conditions seen;
  (void)state;
  kiln_conditions_mark(&begin);
  const uint64_t until = kiln_clock_now() + 30000000;
  while (kiln_clock_now() < until) {
  }
  kiln_conditions_since(&begin, &seen);
  fraction_or_unknown(seen.cpu_pressure);
  fraction_or_unknown(seen.io_pressure);
  fraction_or_unknown(seen.memory_pressure);
  fraction_or_unknown(seen.steal);
  assert_true(seen.load_1m >= 0);
}

static void
test_unknown_counters(void **state)
{
  struct kiln_conditions_mark begin = {0, {UINT64_MAX, UINT64_MAX, UINT64_MAX}, UINT64_MAX, UINT64_MAX};
  struct kiln_conditions seen;
  (void)state;
  kiln_conditions_since(&begin, &seen);
  assert_true(seen.cpu_pressure < 0 && seen.io_pressure < 0 && seen.memory_pressure < 0 && seen.steal < 0);
}

static void
test_random_bits_differ(void **state)
{
  uint64_t a = 0, b = 0;
  (void)state;
  assert_true(kiln_random_bits(&a));
  assert_true(kiln_random_bits(&b));
  assert_true(a != b);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fractions), cmocka_unit_test(test_unknown_counters),
      cmocka_unit_test(test_random_bits_differ)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
