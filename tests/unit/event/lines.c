#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"
#include "event/lines.h"

struct seen {
  struct kiln_buf text; /* lines, each followed by '|' */
  int stop_after, count;
  size_t longest;
};

static bool
take(void *context, const char *line, size_t len)
{
  struct seen *seen = context;
  kiln_buf_append(&seen->text, line, len < 20 ? len : 20);
  kiln_buf_append(&seen->text, "|", 1);
  if (len > seen->longest)
    seen->longest = len;
  return ++seen->count != seen->stop_after;
}

static void
any_cut_gives_the_same_lines(void **state)
{
  (void)state;
  static const char text[] = "one\n\ntwo\nthree";
  for (size_t step = 1; step < sizeof text; step++) {
    struct seen seen = {0};
    struct kiln_lines lines;
    kiln_lines_init(&lines);
    for (size_t at = 0; at < sizeof text - 1; at += step) {
      size_t left = sizeof text - 1 - at;
      assert_true(kiln_lines_feed(&lines, text + at, left < step ? left : step, take, &seen));
    }
    assert_string_equal(seen.text.data, "one||two|");
    assert_true(kiln_lines_finish(&lines, take, &seen));
    assert_string_equal(seen.text.data, "one||two|three|");
    assert_true(kiln_lines_finish(&lines, take, &seen));
    assert_int_equal(seen.count, 4);
    kiln_lines_release(&lines);
    kiln_buf_release(&seen.text);
  }
}

static void
longest_line_passes_and_a_longer_one_is_dropped(void **state)
{
  (void)state;
  size_t size = KILN_EVENT_MAX_LINE + 1;
  char *text = malloc(size + 1);
  memset(text, 'x', size);
  text[size] = '\n';
  for (size_t step = 1000; step <= size + 1; step += size - 999) {
    struct seen seen = {0};
    struct kiln_lines lines;
    kiln_lines_init(&lines);
    for (int round = 0; round < 2; round++) {
      const char *from = round == 0 ? text : text + 1; /* too long, then just fitting */
      size_t len = size + 1 - (size_t)round;
      for (size_t at = 0; at < len; at += step)
        kiln_lines_feed(&lines, from + at, len - at < step ? len - at : step, take, &seen);
    }
    kiln_lines_feed(&lines, "y\n", 2, take, &seen);
    assert_int_equal(lines.dropped, 1);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.longest, KILN_EVENT_MAX_LINE);
    kiln_lines_release(&lines);
    kiln_buf_release(&seen.text);
  }
  free(text);
}

static void
memory_does_not_grow_with_an_endless_line(void **state)
{
  (void)state;
  struct seen seen = {0};
  struct kiln_lines lines;
  static char chunk[4096];
  memset(chunk, 'z', sizeof chunk);
  kiln_lines_init(&lines);
  for (int i = 0; i < 1000; i++)
    kiln_lines_feed(&lines, chunk, sizeof chunk, take, &seen);
  assert_true(lines.pending.capacity <= 4 * KILN_EVENT_MAX_LINE);
  kiln_lines_finish(&lines, take, &seen);
  assert_int_equal(seen.count, 0);
  assert_int_equal(lines.dropped, 1);
  kiln_lines_release(&lines);
}

static void
visitor_stops(void **state)
{
  (void)state;
  struct seen seen = {.stop_after = 2};
  struct kiln_lines lines;
  kiln_lines_init(&lines);
  assert_false(kiln_lines_feed(&lines, "a\nb\nc\n", 6, take, &seen));
  assert_string_equal(seen.text.data, "a|b|");
  kiln_lines_release(&lines);
  kiln_buf_release(&seen.text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_cut_gives_the_same_lines),
      cmocka_unit_test(longest_line_passes_and_a_longer_one_is_dropped),
      cmocka_unit_test(memory_does_not_grow_with_an_endless_line),
      cmocka_unit_test(visitor_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
