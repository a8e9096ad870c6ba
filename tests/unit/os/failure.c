#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "os/failure.h"

static void
test_status_by_errno(void **state)
{
  (void)state;
  static const struct {
    int number;
    enum kiln_status status;
  } cases[] = {
      {ENOENT, KILN_ERROR_NOT_FOUND},
      {ENOTDIR, KILN_ERROR_NOT_FOUND},
      {ENOSPC, KILN_ERROR_ENVIRONMENT},
      {EDQUOT, KILN_ERROR_ENVIRONMENT},
      {EROFS, KILN_ERROR_ENVIRONMENT},
      {EACCES, KILN_ERROR_ENVIRONMENT},
      {EIO, KILN_ERROR_IO},
      {EISDIR, KILN_ERROR_IO},
      {ENOMEM, KILN_ERROR_MEMORY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_error error;
    assert_int_equal(kiln_failure_set(&error, cases[i].number, "write", "r.json"), cases[i].status);
    assert_int_equal(error.status, cases[i].status);
    assert_int_equal(error.sys_errno, cases[i].number);
    assert_non_null(strstr(error.what, "cannot write 'r.json': "));
    if (cases[i].status == KILN_ERROR_ENVIRONMENT)
      assert_true(strlen(error.remedy) > 10);
  }
  assert_int_equal(kiln_failure_set(NULL, ENOENT, "x", "y"), KILN_ERROR_NOT_FOUND);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_status_by_errno)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
