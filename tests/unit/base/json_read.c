#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"

static struct cJSON *
parse(const char *text)
{
  struct cJSON *tree = NULL;
  struct kiln_error error;
  assert_int_equal(kiln_json_parse(text, strlen(text), "x", &tree, &error), KILN_OK);
  assert_non_null(tree);
  return tree;
}

/* The bytes are copied to a block of exactly their size, so that the sanitizer sees a read behind them. */
static void
expect_refused(const char *text, size_t len, const char *part)
{
  char *exact = malloc(len ? len : 1);
  assert_non_null(exact);
  memcpy(exact, text, len);
  struct cJSON *tree = (struct cJSON *)exact;
  struct kiln_error error;
  assert_int_equal(kiln_json_parse(exact, len, "report 'a.json'", &tree, &error), KILN_ERROR_FORMAT);
  assert_null(tree);
  assert_non_null(strstr(error.what, "report 'a.json'"));
  if (!strstr(error.what, part))
    fail_msg("'%s' does not say '%s'", error.what, part);
  free(exact);
}

static void
test_getters(void **state)
{
  (void)state;
  struct cJSON *tree = parse(" {\"s\":\"t\",\"d\":1.5,\"i\":-7,\"b\":true,\"n\":null,\"a\":[1,2,3],\"S\":\"other\"}\n");
  assert_string_equal(kiln_json_get_string(tree, "s", "f"), "t");
  assert_string_equal(kiln_json_get_string(tree, "S", "f"), "other");
  assert_string_equal(kiln_json_get_string(tree, "d", "f"), "f");
  assert_true(kiln_json_get_double(tree, "d", 0) == 1.5);
  assert_true(kiln_json_get_double(tree, "s", -2) == -2);
  assert_int_equal(kiln_json_get_int(tree, "i", 0), -7);
  assert_int_equal(kiln_json_get_int(tree, "d", 9), 9);
  assert_int_equal(kiln_json_get_int(tree, "absent", 9), 9);
  assert_true(kiln_json_get_bool(tree, "b", false));
  assert_true(kiln_json_get_bool(tree, "i", true));
  assert_true(kiln_json_is_null(kiln_json_get(tree, "n")));
  assert_false(kiln_json_is_null(kiln_json_get(tree, "absent")));
  assert_true(kiln_json_is_object(tree));
  assert_true(kiln_json_is_array(kiln_json_get(tree, "a")));
  assert_null(kiln_json_get(kiln_json_get(tree, "a"), "s"));
  kiln_json_free(tree);
}

static void
test_null_is_accepted_everywhere(void **state)
{
  (void)state;
  assert_null(kiln_json_get(NULL, "x"));
  assert_string_equal(kiln_json_get_string(NULL, "x", "f"), "f");
  assert_int_equal(kiln_json_get_int(NULL, "x", 3), 3);
  assert_true(kiln_json_get_double(NULL, "x", 2.5) == 2.5);
  assert_true(kiln_json_get_bool(NULL, "x", true));
  assert_false(kiln_json_is_object(NULL));
  assert_false(kiln_json_is_array(NULL));
  assert_false(kiln_json_is_null(NULL));
  assert_null(kiln_json_as_string(NULL, NULL));
  assert_true(kiln_json_as_double(NULL, 1) == 1);
  assert_null(kiln_json_first(NULL));
  assert_null(kiln_json_next(NULL));
  assert_null(kiln_json_member_name(NULL));
  assert_int_equal(kiln_json_count(NULL), 0);
  kiln_json_free(NULL);
}

static void
test_iteration(void **state)
{
  (void)state;
  struct cJSON *tree = parse("{\"a\":[10,20,30],\"b\":{\"x\":1,\"y\":2}}");
  double sum = 0;
  const struct cJSON *array = kiln_json_get(tree, "a");
  for (const struct cJSON *at = kiln_json_first(array); at; at = kiln_json_next(at)) {
    assert_null(kiln_json_member_name(at));
    sum += kiln_json_as_double(at, 0);
  }
  assert_true(sum == 60);
  assert_int_equal(kiln_json_count(array), 3);
  const struct cJSON *member = kiln_json_first(kiln_json_get(tree, "b"));
  assert_string_equal(kiln_json_member_name(member), "x");
  member = kiln_json_next(member);
  assert_string_equal(kiln_json_member_name(member), "y");
  assert_null(kiln_json_next(member));
  assert_null(kiln_json_first(kiln_json_first(array)));
  kiln_json_free(tree);
}

static void
test_number_limits(void **state)
{
  (void)state;
  struct cJSON *tree = parse("{\"inf\":1e999,\"exact\":9007199254740991,\"months\":12345678901234568,\"far\":1e19,"
                             "\"edge\":-4611686018427387904}");
  assert_true(kiln_json_get_double(tree, "inf", -1) == -1);
  assert_int_equal(kiln_json_get_int(tree, "inf", 5), 5);
  assert_int_equal(kiln_json_get_int(tree, "exact", 5), 9007199254740991);
  assert_int_equal(kiln_json_get_int(tree, "months", 5), 12345678901234568);
  assert_int_equal(kiln_json_get_int(tree, "far", 5), 5);
  assert_int_equal(kiln_json_get_int(tree, "edge", 5), INT64_MIN / 2);
  kiln_json_free(tree);
}

static void
test_refused_texts_name_the_byte(void **state)
{
  (void)state;
  expect_refused("", 0, "byte 0");
  expect_refused("   ", 3, "byte");
  expect_refused("{", 1, "byte");
  expect_refused("[1,2", 4, "byte");
  expect_refused("{\"a\":1} x", 9, "byte 8");
  expect_refused("{}{}", 4, "byte 2");
  expect_refused("{\"a\":tru}", 9, "byte 5");
  expect_refused("[\"abc", 5, "byte 1");
  expect_refused("[\"abc\\", 6, "byte 1");
  expect_refused("[\"abc\\\"", 7, "byte 1");
  expect_refused("[1,\0002]", 6, "NUL byte at byte 3");
  expect_refused("[\"a\0b\"]", 7, "NUL byte at byte 3");
  expect_refused("[\"a\\\0b\"]", 8, "NUL byte at byte 4");
  expect_refused("{}\0", 3, "NUL byte at byte 2");
}

static size_t
nest(char *text, int levels)
{
  memset(text, '[', (size_t)levels);
  memset(text + levels, ']', (size_t)levels);
  text[2 * levels] = '\0';
  return 2 * (size_t)levels;
}

static void
test_nesting(void **state)
{
  (void)state;
  static char text[400001];
  struct cJSON *tree = NULL;
  size_t len = nest(text, 64);
  assert_int_equal(kiln_json_parse(text, len, "x", &tree, NULL), KILN_OK);
  kiln_json_free(tree);
  len = nest(text, 65);
  expect_refused(text, len, "byte 64");
  len = nest(text, 200000);
  expect_refused(text, len, "byte 64");
}

/* Brackets inside a string, also behind escapes, are no nesting. */
static void
test_brackets_in_strings_do_not_count(void **state)
{
  (void)state;
  char text[512] = "[\"\\\\\", \"\\\"";
  size_t len = strlen(text);
  memset(text + len, '[', 200);
  strcpy(text + len + 200, "\"]");
  struct cJSON *tree = parse(text);
  assert_int_equal(kiln_json_count(tree), 2);
  kiln_json_free(tree);
}

static void
test_no_details_wanted(void **state)
{
  (void)state;
  struct cJSON *tree;
  assert_int_equal(kiln_json_parse("x", 1, NULL, &tree, NULL), KILN_ERROR_FORMAT);
}

/* Every prefix of a document is refused or read, and never read behind its end. */
static void
test_every_prefix(void **state)
{
  (void)state;
  static const char text[] = "{\"a\":[1,2.5e3,true,null,\"\\u00e9\\n\"],\"b\":{\"c\":\"d\"}}";
  for (size_t len = 0; len < sizeof text - 1; len++)
    expect_refused(text, len, "byte");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_getters),
      cmocka_unit_test(test_null_is_accepted_everywhere),
      cmocka_unit_test(test_iteration),
      cmocka_unit_test(test_number_limits),
      cmocka_unit_test(test_refused_texts_name_the_byte),
      cmocka_unit_test(test_nesting),
      cmocka_unit_test(test_brackets_in_strings_do_not_count),
      cmocka_unit_test(test_no_details_wanted),
      cmocka_unit_test(test_every_prefix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
