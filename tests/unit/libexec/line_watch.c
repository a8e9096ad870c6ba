#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libexec/line_watch.c" /* a program, not a library: its parts are compiled into their tests */

static struct kiln_line_watch watch;

/* Is the expression found in these bytes, given in pieces of `step`, before the stream ends? */
static bool
found(const char *expression, const char *data, size_t len, size_t step)
{
  struct kiln_pattern *pattern;
  assert_int_equal(kiln_pattern_new(expression, &pattern, NULL), KILN_OK);
  kiln_line_watch_init(&watch, pattern);
  for (size_t at = 0; at < len; at += step)
    kiln_line_watch_take(&watch, data + at, len - at < step ? len - at : step);
  const bool answer = watch.found;
  kiln_pattern_free(pattern);
  return answer;
}

static void
test_a_line_is_found_however_it_arrives(void **state)
{
  (void)state;
  const char text[] = "starting\nlistening on 8000\nmore\n";
  for (size_t step = 1; step < sizeof text; step++) {
    assert_true(found("^listening on [0-9]+$", text, strlen(text), step));
    assert_false(found("^on", text, strlen(text), step));
    assert_false(found("starting.*listening", text, strlen(text), step));
  }
}

static void
test_half_a_line_is_none(void **state)
{
  (void)state;
  assert_false(found("^listening$", "listening", 9, 9));
  assert_false(found("^listening$", "listening on 1\n", 15, 9));
  assert_true(found("^listening$", "listening\n", 10, 3));
}

static void
test_the_end_of_the_stream_ends_a_line(void **state)
{
  (void)state;
  struct kiln_pattern *pattern;
  assert_int_equal(kiln_pattern_new("^listening$", &pattern, NULL), KILN_OK);
  kiln_line_watch_init(&watch, pattern);
  kiln_line_watch_take(&watch, "listening", 9);
  assert_false(watch.found);
  kiln_line_watch_end(&watch);
  assert_true(watch.found);
  kiln_pattern_free(pattern);
}

static void
test_carriage_returns_end_lines(void **state)
{
  (void)state;
  assert_true(found("^ready$", "10 %\r90 %\rready\r\n", 17, 17));
}

static void
test_bytes_that_are_no_text(void **state)
{
  (void)state;
  assert_true(found("^a.b\xff$", "a\0b\xff\n", 5, 5));
}

static void
test_of_a_long_line_the_beginning_counts(void **state)
{
  (void)state;
  static char line[KILN_WATCHED_LINE + 100];
  memset(line, 'x', sizeof line);
  line[KILN_WATCHED_LINE - 1] = 'y';
  line[KILN_WATCHED_LINE] = 'z';
  line[sizeof line - 1] = '\n';
  assert_true(found("y$", line, sizeof line, 1000));
  assert_false(found("z", line, sizeof line, 1000));
}

static void
test_without_an_expression_nothing_is_found(void **state)
{
  (void)state;
  kiln_line_watch_init(&watch, NULL);
  kiln_line_watch_take(&watch, "\n", 1);
  kiln_line_watch_end(&watch);
  assert_false(watch.found);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_line_is_found_however_it_arrives),
      cmocka_unit_test(test_half_a_line_is_none),
      cmocka_unit_test(test_the_end_of_the_stream_ends_a_line),
      cmocka_unit_test(test_carriage_returns_end_lines),
      cmocka_unit_test(test_bytes_that_are_no_text),
      cmocka_unit_test(test_of_a_long_line_the_beginning_counts),
      cmocka_unit_test(test_without_an_expression_nothing_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
