#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "os/clock.h"

static void
test_clocks_advance(void **state)
{
  (void)state;
  uint64_t now = kiln_clock_now(), thread = kiln_clock_thread_cpu(), process = kiln_clock_process_cpu();
  assert_true(now > 0);
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 3000000; i++)
    sum += i;
  assert_int_not_equal(sum, 0);
  assert_true(kiln_clock_now() > now);
  assert_true(kiln_clock_thread_cpu() > thread);
  assert_true(kiln_clock_process_cpu() > process);
  assert_true(kiln_clock_real() > 1700000000U * (uint64_t)1000000000U);
}

static void
test_sleep_is_not_shorter(void **state)
{
  (void)state;
  uint64_t before = kiln_clock_now();
  kiln_clock_sleep(5000000);
  assert_true(kiln_clock_now() - before >= 5000000);
}

static void
test_format(void **state)
{
  (void)state;
  char text[22];
  memset(text, 'x', sizeof text);
  kiln_clock_format((uint64_t)1796026502U * 1000000000U + 999999999U, text);
  assert_string_equal(text, "2026-11-30T08:15:02Z");
  assert_int_equal(text[21], 'x');
  kiln_clock_format(0, text);
  assert_string_equal(text, "1970-01-01T00:00:00Z");
  kiln_clock_format(UINT64_MAX, text);
  assert_int_equal(strlen(text), 20);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clocks_advance),
      cmocka_unit_test(test_sleep_is_not_shorter),
      cmocka_unit_test(test_format),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
