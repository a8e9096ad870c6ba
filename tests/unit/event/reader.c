#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "event/reader.h"
#include "os/file.h"

static struct kiln_event last; /* without fields */
static char last_name[64];
static int seen, stop_after;

static bool
take(void *context, const struct kiln_event *event)
{
  (void)context;
  last = *event;
  last.fields = NULL;
  const char *name = kiln_json_get_string(event->fields, "name", "");
  memcpy(last_name, name, strlen(name) < 63 ? strlen(name) + 1 : 0);
  return ++seen != stop_after;
}

static int
setup(void **state)
{
  struct kiln_buf *folder = calloc(1, sizeof *folder);
  seen = stop_after = 0;
  *state = folder;
  return kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", folder, NULL) == KILN_OK ? 0 : -1;
}

static int
teardown(void **state)
{
  struct kiln_buf *folder = *state;
  kiln_folder_remove(folder->data, NULL);
  kiln_buf_release(folder);
  free(folder);
  return 0;
}

static bool
parse(const char *line)
{
  return kiln_event_parse_line(line, strlen(line), take, NULL);
}

static void
fields_of_a_span(void **state)
{
  (void)state;
  assert_true(parse("{\"v\":1,\"t\":9007199254740993,\"cpu\":7,\"pid\":12,\"tid\":13,\"ev\":\"import\",\"id\":4,"
                    "\"dur\":100,\"dcpu\":40,\"name\":\"numpy\"}"));
  assert_int_equal(seen, 1);
  assert_int_equal(last.kind, KILN_EVENT_IMPORT);
  assert_true(last.t >= 9007199254740992u); /* a machine that runs for more than 104 days */
  assert_int_equal(last.cpu, 7);
  assert_int_equal(last.pid, 12);
  assert_int_equal(last.tid, 13);
  assert_true(last.is_span);
  assert_int_equal(last.dur, 100);
  assert_int_equal(last.dcpu, 40);
  assert_string_equal(last_name, "numpy");
}

static void
kinds_of_later_versions_are_events(void **state)
{
  (void)state;
  assert_true(parse("{\"ev\":\"telepathy\",\"pid\":1}"));
  assert_int_equal(last.kind, KILN_EVENT_UNKNOWN);
  assert_false(last.is_span);
}

static void
numbers_that_are_none_count_as_zero(void **state)
{
  (void)state;
  static const char *const values[] = {"-1", "1e300", "\"5\"", "null", "[1]", "-1e300", "true", "1e20"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    char line[200];
    struct kiln_buf buf;
    kiln_buf_init(&buf);
    kiln_buf_printf(&buf, "{\"t\":%s,\"cpu\":%s,\"pid\":%s,\"tid\":%s,\"dur\":%s,\"dcpu\":%s,\"ev\":\"load\"}",
        values[i], values[i], values[i], values[i], values[i], values[i]);
    memcpy(line, buf.data, buf.len + 1);
    kiln_buf_release(&buf);
    assert_true(parse(line));
    assert_int_equal(last.t, 0);
    assert_int_equal(last.cpu, 0);
    assert_int_equal(last.pid, 0);
    assert_int_equal(last.tid, 0);
    assert_int_equal(last.dur, 0);
    assert_int_equal(last.dcpu, 0);
    assert_false(last.is_span);
  }
  assert_true(parse("{\"ev\":\"load\",\"pid\":4294967297,\"tid\":2147483648}"));
  assert_int_equal(last.pid, 0);
  assert_int_equal(last.tid, 0);
}

static void
lines_that_are_no_events(void **state)
{
  (void)state;
  static const char *const lines[] = {"", "{}", "[]", "null", "{\"ev\":1}", "{\"ev\":null}", "{\"ev\":\"load\"",
      "{\"ev\":\"load\"} x", "[\"ev\",\"load\"]", "\"ev\"", "{\"Ev\":\"load\"}"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    assert_false(parse(lines[i]));
  assert_false(kiln_event_parse_line("{\"ev\":\"load\"\0}", 14, take, NULL));
  assert_int_equal(seen, 0);
}

static void
write_text(const struct kiln_buf *folder, const char *text, size_t len, struct kiln_buf *path)
{
  kiln_buf_init(path);
  kiln_buf_printf(path, "%s/1.1.jsonl", folder->data);
  assert_int_equal(kiln_file_write(path->data, text, len, NULL), KILN_OK);
}

static void
bad_lines_are_counted_and_passed_over(void **state)
{
  static const char text[] = "{\"ev\":\"load\",\"pid\":1}\nrubbish\n\0\0\0\n{\"ev\":\"hash\",\"pid\":1}\n{\"ev\":\"ha";
  struct kiln_buf path;
  struct kiln_event_stats stats = {0};
  write_text(*state, text, sizeof text - 1, &path);
  assert_int_equal(kiln_event_read_file(path.data, take, NULL, &stats, NULL), KILN_OK);
  assert_int_equal(seen, 2);
  assert_int_equal(last.kind, KILN_EVENT_HASH);
  assert_int_equal(stats.events, 2);
  assert_int_equal(stats.bad_lines, 3);
  assert_int_equal(stats.bytes, sizeof text - 1);
  kiln_buf_release(&path);
}

static void
longest_line_and_beyond(void **state)
{
  struct kiln_buf text, path;
  struct kiln_event_stats stats = {0};
  kiln_buf_init(&text);
  for (size_t extra = 0; extra < 2; extra++) {
    kiln_buf_text_append(&text, "{\"ev\":\"load\",\"pid\":1,\"x\":\"");
    size_t used = strlen("{\"ev\":\"load\",\"pid\":1,\"x\":\"") + 2;
    for (size_t i = used; i < KILN_EVENT_MAX_LINE + extra; i++)
      kiln_buf_text_append(&text, "x");
    kiln_buf_text_append(&text, "\"}\n");
  }
  write_text(*state, text.data, text.len, &path);
  assert_int_equal(kiln_event_read_file(path.data, take, NULL, &stats, NULL), KILN_OK);
  assert_int_equal(stats.events, 1);
  assert_int_equal(stats.bad_lines, 1);
  kiln_buf_release(&path);
  kiln_buf_release(&text);
}

static void
visitor_stops_the_file(void **state)
{
  static const char text[] = "{\"ev\":\"load\"}\n{\"ev\":\"load\"}\n{\"ev\":\"load\"}\n";
  struct kiln_buf path;
  stop_after = 2;
  write_text(*state, text, sizeof text - 1, &path);
  assert_int_equal(kiln_event_read_file(path.data, take, NULL, NULL, NULL), KILN_OK);
  assert_int_equal(seen, 2);
  kiln_buf_release(&path);
}

static void
missing_file_is_named(void **state)
{
  const struct kiln_buf *folder = *state;
  struct kiln_error error = {0};
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_printf(&path, "%s/gone.jsonl", folder->data);
  assert_int_equal(kiln_event_read_file(path.data, take, NULL, NULL, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, "gone.jsonl"));
  kiln_buf_release(&path);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(fields_of_a_span),
      TEST(kinds_of_later_versions_are_events),
      TEST(numbers_that_are_none_count_as_zero),
      TEST(lines_that_are_no_events),
      TEST(bad_lines_are_counted_and_passed_over),
      TEST(longest_line_and_beyond),
      TEST(visitor_stops_the_file),
      TEST(missing_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
