#include "entries.h"

#include "kiln/cache.h"

static const char members[] =
    ",\"name\":\"scale\",\"toolchain\":\"hostcc\",\"toolchain_identity\":\"cc build-id:1\",\"kiln\":\"0.1.0\","
    "\"built\":1234567890,\"build_ms\":12.5,\"entry_points\":[\"scale\"],\"command\":\"cc -O3 'scale.c'\","
    "\"fields\":[{\"tag\":\"flag\",\"value\":\"-O2\"}],\"field_count\":3,\"dependencies\":[],"
    "\"spec\":{\"name\":\"scale\",\"toolchain\":\"hostcc\",\"sources\":[{\"name\":\"scale.c\"}],\"flags\":[\"-O2\"],"
    "\"defines\":[],\"includes\":[],\"archs\":[],\"links\":[\"-lm\"],\"entry_points\":[\"scale\"]},"
    "\"sources\":[{\"name\":\"scale.c\",\"content\":\"00\",\"size\":19,\"text\":\"int scale(void) { }\\n\"}],"
    "\"log\":\"warning: \\u001b[31mred\\n\"";

static bool
has(const char *text, const char *part)
{
  return strstr(text, part) != NULL;
}

static void
test_everything_is_there_for_people(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  char key[KILN_DIGEST_HEX], *text = NULL;
  entries_publish(made, made->store, "a", members);
  assert_int_equal(kiln_cache_show(&kiln, entries_key("a", key), false, &text, NULL), KILN_OK);
  assert_true(has(text, key));
  assert_true(has(text, "2009-02-13T23:31:30Z in 12.5 ms by kiln 0.1.0"));
  assert_true(has(text, "cc build-id:1"));
  assert_true(has(text, "\nCommand\n  cc -O3 'scale.c'\n"));
  assert_true(has(text, "  flag = -O2\n  … and 2 more\n"));
  assert_true(has(text, "  int scale(void) { }\n"));
  assert_true(has(text, "  warning: ?[31mred\n"));
  assert_true(has(text, "in the store"));
  assert_true(has(text, "kiln cache show --spec"));
  kiln_cache_text_free(text);
}

static void
test_json_holds_the_whole_spec(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  struct cJSON *tree = NULL;
  const struct cJSON *spec;
  char key[KILN_DIGEST_HEX], *text = NULL;
  entries_publish(made, made->store, "a", members);
  entries_key("a", key);
  key[6] = '\0';
  assert_int_equal(kiln_cache_show(&kiln, key, true, &text, NULL), KILN_OK);
  assert_int_equal(kiln_json_parse(text, strlen(text), "show", &tree, NULL), KILN_OK);
  assert_string_equal(kiln_json_get_string(tree, "command", ""), "cc -O3 'scale.c'");
  assert_int_equal(kiln_json_get_int(tree, "payload_size", 0), 7);
  spec = kiln_json_get(tree, "spec");
  assert_string_equal(
      kiln_json_get_string(kiln_json_first(kiln_json_get(spec, "sources")), "text", ""), "int scale(void) { }\n");
  assert_string_equal(kiln_json_as_string(kiln_json_first(kiln_json_get(spec, "links")), ""), "-lm");
  kiln_json_free(tree);
  kiln_cache_text_free(text);
}

static void
refuse(struct kiln *kiln, const char *key, enum kiln_status status)
{
  struct kiln_error error = {0};
  char *text = NULL;
  assert_int_equal(kiln_cache_show(kiln, key, false, &text, &error), status);
  assert_null(text);
  assert_int_equal(error.status, status);
  assert_true(has(error.what, key));
}

static void
test_keys_that_name_no_entry(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  char key[KILN_DIGEST_HEX], long_key[80];
  entries_publish(made, made->store, "a", members);
  entries_key("a", key);
  snprintf(long_key, sizeof long_key, "%s0", key);
  refuse(&kiln, long_key, KILN_ERROR_ARGUMENT);
  refuse(&kiln, "abcde", KILN_ERROR_ARGUMENT);
  refuse(&kiln, "ABCDEF", KILN_ERROR_ARGUMENT);
  refuse(&kiln, "../../x", KILN_ERROR_ARGUMENT);
  refuse(&kiln, "000000", KILN_ERROR_NOT_FOUND);
  entries_damage(made_entry_path(made, "store", "a"));
  struct kiln_error error = {0};
  char *text = NULL;
  assert_int_equal(kiln_cache_show(&kiln, key, false, &text, &error), KILN_ERROR_FORMAT);
}

/* Two keys with the same first digits are made by giving an entry another name: it is only found, not read. */
static void
test_too_few_digits_are_refused(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  char key[KILN_DIGEST_HEX], from[1024], to[1024], *last;
  struct kiln_error error = {0};
  char *text = NULL;
  entries_publish(made, made->store, "a", members);
  snprintf(from, sizeof from, "%s", made_entry_path(made, "store", "a"));
  snprintf(to, sizeof to, "%s", from);
  last = &to[strlen(to) - 1];
  *last = *last == '0' ? '1' : '0';
  assert_int_equal(link(from, to), 0);
  entries_key("a", key);
  key[20] = '\0';
  assert_int_equal(kiln_cache_show(&kiln, key, false, &text, &error), KILN_ERROR_ARGUMENT);
  assert_true(has(error.what, "more than one"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_everything_is_there_for_people, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_json_holds_the_whole_spec, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_keys_that_name_no_entry, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_too_few_digits_are_refused, made_setup, made_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
