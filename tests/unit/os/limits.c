#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "os/limits.h"

static void
test_resource_limits(void **state)
{
  (void)state;
  struct kiln_rlimits limits;
  struct rlimit files;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_cur > 100 ? 99 : files.rlim_cur;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
  assert_int_equal(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}), 0);
  kiln_rlimits_read(&limits);
  assert_int_equal(limits.open_files, files.rlim_cur);
  assert_int_equal(limits.core_bytes, 0);
}

static void
test_kernel_settings(void **state)
{
  (void)state;
  char text[32], little[3];
  assert_true(kiln_kernel_setting("/proc/sys/kernel/ostype", text, sizeof text));
  assert_string_equal(text, "Linux");
  assert_true(kiln_kernel_setting("/proc/sys/kernel/ostype", little, sizeof little));
  assert_string_equal(little, "Li");
  assert_false(kiln_kernel_setting("/proc/sys/kernel/no_such_setting", text, sizeof text));
  assert_false(kiln_process_is_elevated());
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernel_settings),
      cmocka_unit_test(test_resource_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
