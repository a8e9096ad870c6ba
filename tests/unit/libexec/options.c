#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libexec/options.c" /* a program, not a library: its parts are compiled into their tests */

#define NEEDED "--owner", "3", "--status", "4", "--stdout", "o", "--stderr", "e"
#define PARSE(options, ...)                                                                                            \
  kiln_supervisor_options_parse((char *const[]){"kiln-spawn", __VA_ARGS__, NULL}, options, &error)

static void
test_everything_is_taken(void **state)
{
  (void)state;
  struct kiln_supervisor_options options;
  struct kiln_error error;
  assert_int_equal(PARSE(&options, NEEDED, "--limit", "99", "--remove", "/x", "--preload", "a:b", "--tty", "--inherit",
                       "--until-output", "^up", "--", "cmd", "--owner"),
      KILN_OK);
  assert_int_equal(options.owner, 3);
  assert_int_equal(options.status, 4);
  assert_string_equal(options.stdout_path, "o");
  assert_string_equal(options.stderr_path, "e");
  assert_int_equal(options.limit, 99);
  assert_string_equal(options.remove, "/x");
  assert_string_equal(options.preload, "a:b");
  assert_true(options.terminal_input);
  assert_true(options.inherit);
  assert_false(options.plain_output);
  assert_string_equal(options.until_output, "^up");
  assert_string_equal(options.command[0], "cmd");
  assert_string_equal(options.command[1], "--owner");
  assert_null(options.command[2]);
}

static void
test_defaults(void **state)
{
  (void)state;
  struct kiln_supervisor_options options;
  struct kiln_error error;
  assert_int_equal(PARSE(&options, NEEDED, "--", "cmd"), KILN_OK);
  assert_int_equal(options.limit, 64 * 1024 * 1024);
  assert_null(options.remove);
  assert_null(options.preload);
  assert_false(options.terminal_input);
  assert_false(options.inherit);
  assert_null(options.until_output);
}

static void
test_plain_output_needs_no_files(void **state)
{
  (void)state;
  struct kiln_supervisor_options options;
  struct kiln_error error;
  assert_int_equal(PARSE(&options, "--owner", "3", "--status", "4", "--plain-output", "--", "cmd"), KILN_OK);
  assert_true(options.plain_output);
  assert_int_equal(PARSE(&options, "--owner", "3", "--status", "4", "--", "cmd"), KILN_ERROR_ARGUMENT);
}

static void
test_wrong_words_are_quoted(void **state)
{
  (void)state;
  struct kiln_supervisor_options options;
  struct kiln_error error;
  assert_int_equal(PARSE(&options, "--owner", "3x", "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "3x"));
  assert_int_equal(PARSE(&options, "--owner", "4294967296", "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_int_equal(PARSE(&options, NEEDED, "--limit", "1", "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_int_equal(PARSE(&options, NEEDED, "--remove", "relative", "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "relative"));
  assert_int_equal(PARSE(&options, NEEDED, "--remove", "/", "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_int_equal(PARSE(&options, NEEDED, "--wat", "1", "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "--wat"));
}

static void
test_missing_words_are_refused(void **state)
{
  (void)state;
  struct kiln_supervisor_options options;
  struct kiln_error error;
  assert_int_equal(PARSE(&options, NEEDED, "--"), KILN_ERROR_ARGUMENT);
  assert_int_equal(PARSE(&options, NEEDED), KILN_ERROR_ARGUMENT);
  assert_int_equal(PARSE(&options, "--", "cmd"), KILN_ERROR_ARGUMENT);
  assert_int_equal(PARSE(&options, NEEDED, "--limit"), KILN_ERROR_ARGUMENT);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything_is_taken),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_plain_output_needs_no_files),
      cmocka_unit_test(test_wrong_words_are_quoted),
      cmocka_unit_test(test_missing_words_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
