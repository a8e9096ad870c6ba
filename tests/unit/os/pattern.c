#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/pattern.h"

static bool
matches(const char *expression, const char *text)
{
  struct kiln_pattern *pattern;
  assert_int_equal(kiln_pattern_new(expression, &pattern, NULL), KILN_OK);
  const bool answer = kiln_pattern_matches(pattern, text);
  kiln_pattern_free(pattern);
  return answer;
}

static void
test_extended_expressions(void **state)
{
  (void)state;
  assert_true(matches("port [0-9]+", "on port 8000."));
  assert_false(matches("port [0-9]+", "on port x"));
  assert_true(matches("(ready|up)$", "it is up"));
  assert_false(matches("(ready|up)$", "it is up."));
  assert_true(matches("", "anything"));
}

static void
test_a_wrong_expression_is_quoted(void **state)
{
  (void)state;
  struct kiln_pattern *pattern = (struct kiln_pattern *)1;
  struct kiln_error error = {0};
  assert_int_equal(kiln_pattern_new("a(b", &pattern, &error), KILN_ERROR_ARGUMENT);
  assert_null(pattern);
  assert_non_null(strstr(error.what, "'a(b'"));
  assert_true(error.remedy[0] != '\0');
  assert_int_equal(kiln_pattern_new("[", &pattern, NULL), KILN_ERROR_ARGUMENT);
  kiln_pattern_free(NULL);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_extended_expressions),
      cmocka_unit_test(test_a_wrong_expression_is_quoted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
