#include "made.h"

#include "store/negative.h"

static const char *
failure_path(struct made *made, const char *request)
{
  char hex[KILN_DIGEST_HEX], relative[256];
  struct kiln_digest key = made_key(request);
  kiln_digest_hex(&key, hex);
  snprintf(relative, sizeof relative, "store/v1/failed/%.2s/%s", hex, hex);
  return made_path(made, relative);
}

static bool
remembers(struct made *made, const char *request, const char *message)
{
  struct kiln_buf found;
  struct kiln_digest key = made_key(request);
  kiln_buf_init(&found);
  bool known = kiln_negative_read(made->store, &key, &found);
  if (known)
    assert_string_equal(kiln_buf_text(&found), message);
  else
    assert_int_equal(found.len, 0);
  kiln_buf_release(&found);
  return known;
}

static void
test_a_failure_is_remembered_for_a_minute(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("r");
  assert_false(remembers(made, "r", ""));
  assert_int_equal(kiln_negative_write(made->store, &key, "a.c:1: error: no\nsecond line", NULL), KILN_OK);
  assert_true(remembers(made, "r", "a.c:1: error: no\nsecond line"));
  assert_false(remembers(made, "s", ""));
  made_age(failure_path(made, "r"), KILN_NEGATIVE_LIFE_S - 10);
  assert_true(remembers(made, "r", "a.c:1: error: no\nsecond line"));
  made_age(failure_path(made, "r"), KILN_NEGATIVE_LIFE_S + 1);
  assert_false(remembers(made, "r", ""));
  made_age(failure_path(made, "r"), -1000);
  assert_false(remembers(made, "r", ""));
  assert_int_equal(kiln_negative_write(made->store, &key, "", NULL), KILN_OK);
  assert_true(remembers(made, "r", ""));
  kiln_negative_forget(made->store, &key);
  assert_false(remembers(made, "r", ""));
  kiln_negative_forget(made->store, &key);
}

static void
test_a_long_message_is_cut_between_characters(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("r");
  struct kiln_buf found;
  static char message[20000];
  for (size_t i = 0; i + 2 < sizeof message; i += 2)
    memcpy(message + i, "\xc3\xa9", 2);
  message[0] = 'x'; /* so that the limit falls inside a character */
  memmove(message + 1, message + 2, sizeof message - 2);
  kiln_buf_init(&found);
  assert_int_equal(kiln_negative_write(made->store, &key, message, NULL), KILN_OK);
  assert_true(kiln_negative_read(made->store, &key, &found));
  assert_int_equal(found.len, 8191);
  assert_memory_equal(found.data, message, found.len);
  kiln_buf_release(&found);
}

static void
test_damage_and_foreign_requests_are_forgotten(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("r"), other = made_key("s");
  char from[1024];
  assert_int_equal(kiln_negative_write(made->store, &key, "of r", NULL), KILN_OK);
  assert_int_equal(kiln_negative_write(made->store, &other, "of s", NULL), KILN_OK);
  snprintf(from, sizeof from, "%s", failure_path(made, "s"));
  assert_int_equal(rename(from, failure_path(made, "r")), 0);
  assert_false(remembers(made, "r", ""));
  assert_int_equal(kiln_negative_write(made->store, &key, "of r", NULL), KILN_OK);
  assert_int_equal(chmod(failure_path(made, "r"), 0600), 0);
  assert_int_equal(truncate(failure_path(made, "r"), 90), 0);
  assert_false(remembers(made, "r", ""));
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_a_failure_is_remembered_for_a_minute),
      CASE(test_a_long_message_is_cut_between_characters),
      CASE(test_damage_and_foreign_requests_are_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
