#include "made.h"

#include "store/record.h"
#include "store/request_text.h"

#define DIGEST "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* A record with these lines behind the head, sealed with a right checksum. */
static bool
parses(const char *count, const char *lines)
{
  struct kiln_buf text;
  struct kiln_request_record record;
  struct kiln_digest request = made_key("r"), toolchain = made_key("t");
  kiln_buf_init(&text);
  kiln_request_record_init(&record);
  kiln_record_begin(&text, "request");
  kiln_record_append_digest(&text, "request", &request);
  kiln_record_append_digest(&text, "toolchain", &toolchain);
  kiln_record_append_digest(&text, "entry", &request);
  kiln_buf_printf(&text, "dependencies %s\n%s", count, lines);
  kiln_record_end(&text);
  bool good = kiln_request_parse(&text, &request, &toolchain, &record);
  if (!good)
    assert_null(record.dependencies);
  kiln_request_record_release(&record);
  kiln_buf_release(&text);
  return good;
}

static void
test_the_grammar_is_strict(void **state)
{
  (void)state;
  assert_true(parses("0", ""));
  assert_true(parses("1", "- 1 2 3 " DIGEST " /a\n"));
  assert_true(parses("2", "0 1 2 3 " DIGEST " a\n12 18446744073709551615 0 0 " DIGEST " b c\n"));
  assert_true(parses("1", "0 1 2 3 " DIGEST " a\\nb\\\\c\n"));
  static const struct {
    const char *count, *lines;
  } bad[] = {
      {"", ""},
      {"1", ""},
      {"-1", ""},
      {"65537", ""},
      {"18446744073709551615", ""},
      {"0", "- 1 2 3 " DIGEST " /a\n"},
      {"2", "- 1 2 3 " DIGEST " /a\n"},
      {"1", "- 1 2 3 " DIGEST " /a"},
      {"1", "- 1 2 3 " DIGEST " \n"},
      {"1", "- 1 2 3 " DIGEST "\n"},
      {"1", "- 1 2 3 " DIGEST " relative\n"},
      {"1", "0 1 2 3 " DIGEST " /absolute\n"},
      {"1", "-1 1 2 3 " DIGEST " /a\n"},
      {"1", "2000000 1 2 3 " DIGEST " a\n"},
      {"1", "0 18446744073709551616 2 3 " DIGEST " a\n"},
      {"1", "0 1 2  3 " DIGEST " a\n"},
      {"1", "0 1 2 x " DIGEST " a\n"},
      {"1", "0 1 2 3 g" DIGEST " a\n"},
      {"1", "0 1 2 3 " DIGEST " a\\x\n"},
      {"1", "0 1 2 3 " DIGEST " a\\\n"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (parses(bad[i].count, bad[i].lines))
      fail_msg("accepted: %s", bad[i].lines);
}

static void
test_limits_of_paths(void **state)
{
  char line[KILN_REQUEST_MAX_PATH + 200];
  (void)state;
  for (int over = 0; over < 2; over++) {
    int at = snprintf(line, sizeof line, "0 1 2 3 " DIGEST " ");
    memset(line + at, 'p', KILN_REQUEST_MAX_PATH + (size_t)over);
    strcpy(line + at + KILN_REQUEST_MAX_PATH + over, "\n");
    assert_int_equal(parses("1", line), !over);
  }
}

static void
test_what_is_too_large_is_not_written(void **state)
{
  struct kiln_request_record record;
  struct kiln_digest digest = made_key("r");
  struct kiln_error error = {0};
  struct kiln_buf text;
  char path[KILN_REQUEST_MAX_PATH + 2] = {0};
  (void)state;
  kiln_buf_init(&text);
  memset(path, 'p', KILN_REQUEST_MAX_PATH + 1);
  struct kiln_dependency one = {.path = path};
  record = (struct kiln_request_record){.dependencies = &one, .count = 1};
  assert_int_equal(kiln_request_format(&text, &digest, &digest, &record, 0, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "4097 bytes in a path"));
  record.count = KILN_REQUEST_MAX_DEPENDENCIES + 1;
  assert_int_equal(kiln_request_format(&text, &digest, &digest, &record, 0, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "65537 dependencies"));
  kiln_buf_release(&text);
}

/* 65536 dependencies of 4096 bytes would be 256 MiB: the total is bounded too. */
static void
test_the_total_is_bounded(void **state)
{
  enum { COUNT = 5000 };
  struct kiln_request_record record = {.count = COUNT};
  struct kiln_digest digest = made_key("r");
  struct kiln_error error = {0};
  struct kiln_buf text;
  static char path[4000];
  (void)state;
  kiln_buf_init(&text);
  memset(path, 'p', sizeof path - 1);
  record.dependencies = calloc(COUNT, sizeof *record.dependencies);
  for (size_t i = 0; i < COUNT; i++)
    record.dependencies[i].path = path;
  assert_int_equal(kiln_request_format(&text, &digest, &digest, &record, 0, &error), KILN_ERROR_ARGUMENT);
  kiln_buf_clear(&text);
  record.count = 4000;
  assert_int_equal(kiln_request_format(&text, &digest, &digest, &record, 0, &error), KILN_OK);
  assert_true(text.len <= KILN_REQUEST_MAX_BYTES);
  free(record.dependencies);
  kiln_buf_release(&text);
}

static void
test_a_recent_time_is_not_believed(void **state)
{
  const uint64_t second = 1000000000u, now = 1000 * second;
  (void)state;
  assert_int_equal(kiln_request_believable_time(now - 1, now), 0);
  assert_int_equal(kiln_request_believable_time(now + 5 * second + 1, now), 0);
  assert_int_equal(kiln_request_believable_time(now - second / 2, now), now - second / 2);
  /* Stamped with whole seconds. */
  assert_int_equal(kiln_request_believable_time(now - second, now), 0);
  assert_int_equal(kiln_request_believable_time(now - 3 * second, now), now - 3 * second);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_grammar_is_strict),
      cmocka_unit_test(test_limits_of_paths),
      cmocka_unit_test(test_what_is_too_large_is_not_written),
      cmocka_unit_test(test_the_total_is_bounded),
      cmocka_unit_test(test_a_recent_time_is_not_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
