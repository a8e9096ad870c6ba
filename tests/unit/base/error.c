#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "kiln/error.h"

static void
test_names(void **state)
{
  (void)state;
  assert_string_equal(kiln_status_name(KILN_OK), "KILN_OK");
  assert_string_equal(kiln_status_name(KILN_ERROR_ARGUMENT), "KILN_ERROR_ARGUMENT");
  assert_string_equal(kiln_status_name(KILN_ERROR_INTERRUPTED), "KILN_ERROR_INTERRUPTED");
  assert_string_equal(kiln_status_name(KILN_ERROR_DEVICE), "KILN_ERROR_DEVICE");
  assert_string_equal(kiln_status_name(KILN_ERROR_ARCHITECTURE), "KILN_ERROR_ARCHITECTURE");
  assert_string_equal(kiln_status_name(KILN_ERROR_CAPTURE), "KILN_ERROR_CAPTURE");
  assert_string_equal(kiln_status_name(KILN_ERROR_FORKED), "KILN_ERROR_FORKED");
  assert_string_equal(kiln_status_name(KILN_ERROR_LATE), "KILN_ERROR_LATE");
  assert_string_equal(kiln_status_name((enum kiln_status)15), "KILN_UNKNOWN");
  assert_string_equal(kiln_status_name((enum kiln_status) - 1), "KILN_UNKNOWN");
}

static void
test_set_replaces_everything(void **state)
{
  (void)state;
  struct kiln_error error;
  kiln_error_system(&error, KILN_ERROR_IO, EIO, "old");
  kiln_error_advise(&error, "old advice");
  assert_int_equal(kiln_error_set(&error, KILN_ERROR_ARGUMENT, "'%s' is no number", "x"), KILN_ERROR_ARGUMENT);
  assert_int_equal(error.status, KILN_ERROR_ARGUMENT);
  assert_int_equal(error.sys_errno, 0);
  assert_string_equal(error.what, "'x' is no number");
  assert_string_equal(error.remedy, "");
  kiln_error_advise(&error, "Give %d.", 5);
  assert_string_equal(error.remedy, "Give 5.");
  assert_string_equal(error.what, "'x' is no number");
}

static void
test_no_details_wanted(void **state)
{
  (void)state;
  assert_int_equal(kiln_error_set(NULL, KILN_ERROR_IO, "x"), KILN_ERROR_IO);
  assert_int_equal(kiln_error_system(NULL, KILN_ERROR_MEMORY, ENOMEM, "x"), KILN_ERROR_MEMORY);
  kiln_error_advise(NULL, "x");
}

static void
test_own_sentence_as_argument(void **state)
{
  (void)state;
  struct kiln_error error;
  kiln_error_set(&error, KILN_ERROR_IO, "inner");
  kiln_error_set(&error, KILN_ERROR_INVALID, "outer: %s", error.what);
  assert_string_equal(error.what, "outer: inner");
}

/* Every byte offset of the cut falls once into the middle of a two-byte character. */
static void
test_long_sentence_is_cut_at_a_character(void **state)
{
  (void)state;
  for (int shift = 0; shift < 4; shift++) {
    char text[2 * KILN_ERROR_WHAT_SIZE];
    memset(text, 'a', (size_t)shift);
    for (size_t i = (size_t)shift; i + 2 < sizeof text; i += 2)
      memcpy(text + i, "\xc3\xa9", 3);
    struct kiln_error error;
    kiln_error_set(&error, KILN_ERROR_IO, "%s", text);
    size_t len = strlen(error.what);
    assert_in_range(len, KILN_ERROR_WHAT_SIZE - 3, KILN_ERROR_WHAT_SIZE - 1);
    assert_string_equal(error.what + len - 3, "\xe2\x80\xa6");
    assert_int_equal((len - 3 - (size_t)shift) % 2, 0);
    kiln_error_advise(&error, "%s", text);
    assert_string_equal(error.remedy + strlen(error.remedy) - 3, "\xe2\x80\xa6");
  }
}

static void
test_sentence_that_just_fits_is_not_cut(void **state)
{
  (void)state;
  char text[KILN_ERROR_WHAT_SIZE];
  memset(text, 'b', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  struct kiln_error error;
  kiln_error_set(&error, KILN_ERROR_IO, "%s", text);
  assert_string_equal(error.what, text);
}

static void
test_system_keeps_the_reason(void **state)
{
  (void)state;
  struct kiln_error error;
  kiln_error_system(&error, KILN_ERROR_IO, ENOSPC, "cannot write '%s'", "r.json");
  assert_int_equal(error.sys_errno, ENOSPC);
  assert_string_equal(error.what, "cannot write 'r.json': No space left on device");
  char text[2 * KILN_ERROR_WHAT_SIZE];
  memset(text, 'c', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  kiln_error_system(&error, KILN_ERROR_IO, ENOSPC, "%s", text);
  assert_non_null(strstr(error.what, "c\xe2\x80\xa6: No space left on device"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_set_replaces_everything),
      cmocka_unit_test(test_no_details_wanted),
      cmocka_unit_test(test_own_sentence_as_argument),
      cmocka_unit_test(test_long_sentence_is_cut_at_a_character),
      cmocka_unit_test(test_sentence_that_just_fits_is_not_cut),
      cmocka_unit_test(test_system_keeps_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
