#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "os/file.h"
#include "os/library.h"
#include "unit/os/native.h"
#include "unit/os/scratch.h"

static void
test_by_path(void **state)
{
  struct kiln_library *library;
  struct kiln_buf path;
  const char *file = scratch_path(*state, "answer.so");
  assert_true(native_make(file, 7));
  assert_int_equal(kiln_library_open(file, &library, NULL), KILN_OK);
  assert_int_equal(native_call(kiln_library_symbol(library, "answer")), 7);
  assert_null(kiln_library_symbol(library, "nobody"));
  kiln_buf_init(&path);
  assert_true(kiln_library_path(library, &path));
  assert_non_null(strstr(kiln_buf_text(&path), "/answer.so"));
  kiln_buf_release(&path);
  kiln_library_close(library);
  kiln_library_close(NULL);
}

static void
test_missing(void **state)
{
  struct kiln_library *library;
  struct kiln_error error;
  (void)state;
  assert_int_equal(kiln_library_open("libkiln-nobody.so.9", &library, &error), KILN_ERROR_NOT_FOUND);
  assert_null(library);
  assert_non_null(strstr(error.what, "'libkiln-nobody.so.9'"));
}

static void
test_no_library(void **state)
{
  struct kiln_library *library;
  struct kiln_error error;
  const char *file = scratch_path(*state, "text.so");
  assert_int_equal(kiln_file_write(file, "no library", 10, NULL), KILN_OK);
  assert_int_equal(kiln_library_open(file, &library, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, file));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_by_path, scratch_make, scratch_remove),
      cmocka_unit_test(test_missing),
      cmocka_unit_test_setup_teardown(test_no_library, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
