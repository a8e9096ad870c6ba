#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"

struct fixture {
  struct kiln_buf buf;
  struct kiln_json json;
};

static void
begin(struct fixture *fixture, bool pretty)
{
  kiln_buf_init(&fixture->buf);
  kiln_json_init(&fixture->json, &fixture->buf, pretty);
}

static void
expect(struct fixture *fixture, const char *text)
{
  assert_false(fixture->buf.failed);
  assert_string_equal(kiln_buf_text(&fixture->buf), text);
  kiln_buf_release(&fixture->buf);
}

static void
write_sample(struct kiln_json *json)
{
  kiln_json_object(json);
  kiln_json_key(json, "a");
  kiln_json_array(json);
  kiln_json_int(json, 1);
  kiln_json_bool(json, false);
  kiln_json_array(json);
  kiln_json_array_end(json);
  kiln_json_array_end(json);
  kiln_json_key(json, "b");
  kiln_json_object(json);
  kiln_json_object_end(json);
  kiln_json_key(json, "c");
  kiln_json_string(json, NULL);
  kiln_json_object_end(json);
}

static void
test_compact(void **state)
{
  (void)state;
  struct fixture fixture;
  begin(&fixture, false);
  write_sample(&fixture.json);
  expect(&fixture, "{\"a\":[1,false,[]],\"b\":{},\"c\":null}");
}

static void
test_pretty(void **state)
{
  (void)state;
  struct fixture fixture;
  begin(&fixture, true);
  write_sample(&fixture.json);
  expect(&fixture, "{\n  \"a\": [\n    1,\n    false,\n    []\n  ],\n  \"b\": {},\n  \"c\": null\n}");
}

static void
test_numbers(void **state)
{
  (void)state;
  struct fixture fixture;
  begin(&fixture, false);
  kiln_json_array(&fixture.json);
  kiln_json_int(&fixture.json, INT64_MIN);
  kiln_json_uint(&fixture.json, UINT64_MAX);
  kiln_json_double(&fixture.json, 0.1);
  kiln_json_double(&fixture.json, 1.5e300);
  kiln_json_double(&fixture.json, -1234.56789);
  kiln_json_double(&fixture.json, 3);
  kiln_json_double(&fixture.json, INFINITY);
  kiln_json_double(&fixture.json, (double)NAN);
  kiln_json_array_end(&fixture.json);
  expect(&fixture, "[-9223372036854775808,18446744073709551615,0.1,1.5e+300,-1234.56789,3,null,null]");
}

/* Stands for a C library under a locale: what would be the decimal point is written as this, where it is set. */
static const char *decimal_separator;

__attribute__((visibility("hidden"))) int snprintf(char *text, size_t size, const char *format, ...) KILN_PRINTF(3, 4);

int
snprintf(char *text, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int len = vsnprintf(text, size, format, args);
  va_end(args);
  char *point = decimal_separator ? strchr(text, '.') : NULL;
  if (!point)
    return len;
  size_t extra = strlen(decimal_separator) - 1;
  memmove(point + 1 + extra, point + 1, strlen(point + 1) + 1);
  memcpy(point, decimal_separator, extra + 1);
  return len + (int)extra;
}

/* A program under observation may have set any locale; some separators have two bytes. */
static void
test_decimal_point_in_every_locale(void **state)
{
  (void)state;
  static const char *const separators[] = {NULL, ",", "\xd9\xab"};
  for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
    struct fixture fixture;
    decimal_separator = separators[i];
    begin(&fixture, false);
    kiln_json_array(&fixture.json);
    kiln_json_double(&fixture.json, 2.25e-7);
    kiln_json_double(&fixture.json, -0.5);
    kiln_json_double(&fixture.json, 7);
    kiln_json_double(&fixture.json, 1e20);
    kiln_json_array_end(&fixture.json);
    decimal_separator = NULL;
    expect(&fixture, "[2.25e-07,-0.5,7,1e+20]");
  }
}

static void
expect_text(const char *text, size_t len, const char *expected)
{
  struct fixture fixture;
  begin(&fixture, false);
  kiln_json_string_n(&fixture.json, text, len);
  expect(&fixture, expected);
}

static void
test_escapes(void **state)
{
  (void)state;
  expect_text("", 0, "\"\"");
  expect_text("a\"b\\c/d", 7, "\"a\\\"b\\\\c/d\"");
  expect_text("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"");
  expect_text("\0\x1f\x7f", 3, "\"\\u0000\\u001f\x7f\"");
}

#define BAD "\xef\xbf\xbd"

static void
test_only_utf8_comes_out(void **state)
{
  (void)state;
  expect_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5", 9, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5\"");
  expect_text("x\xff\x80y", 4, "\"x" BAD BAD "y\"");
  expect_text("\xc0\xaf", 2, "\"" BAD BAD "\"");                 /* overlong */
  expect_text("\xe0\x9f\xbf", 3, "\"" BAD BAD BAD "\"");         /* overlong */
  expect_text("\xed\xa0\x80", 3, "\"" BAD BAD BAD "\"");         /* surrogate */
  expect_text("\xf4\x90\x80\x80", 4, "\"" BAD BAD BAD BAD "\""); /* beyond U+10FFFF */
  expect_text("\xe2\x82", 2, "\"" BAD BAD "\"");                 /* cut off */
  expect_text("\xe2\x82\xac", 2, "\"" BAD BAD "\"");             /* the length counts, not what lies behind */
  expect_text("\xe2\x41\xac", 3, "\"" BAD "A" BAD "\"");
}

static void
test_keys_are_escaped(void **state)
{
  (void)state;
  struct fixture fixture;
  begin(&fixture, false);
  kiln_json_object(&fixture.json);
  kiln_json_key(&fixture.json, "k\"\n");
  kiln_json_int(&fixture.json, 1);
  kiln_json_object_end(&fixture.json);
  expect(&fixture, "{\"k\\\"\\n\":1}");
}

static void
test_too_deep_is_a_failure_not_a_crash(void **state)
{
  (void)state;
  struct fixture fixture;
  begin(&fixture, false);
  for (int i = 0; i < KILN_JSON_MAX_DEPTH; i++)
    kiln_json_array(&fixture.json);
  assert_false(fixture.buf.failed);
  kiln_json_array(&fixture.json);
  assert_true(fixture.buf.failed);
  for (int i = 0; i < KILN_JSON_MAX_DEPTH + 5; i++)
    kiln_json_array_end(&fixture.json);
  assert_int_equal(fixture.json.depth, 0);
  kiln_buf_release(&fixture.buf);
}

static void
test_members(void **state)
{
  static const char *const texts[2] = {"a", NULL};
  static const double doubles[2] = {0.5, 2};
  struct fixture fixture;
  (void)state;
  begin(&fixture, false);
  kiln_json_object(&fixture.json);
  kiln_json_member_text(&fixture.json, "t", "");
  kiln_json_member_text(&fixture.json, "n", NULL);
  kiln_json_member_filled(&fixture.json, "f", "");
  kiln_json_member_filled(&fixture.json, "g", "x");
  kiln_json_member_int(&fixture.json, "i", -1);
  kiln_json_member_uint(&fixture.json, "u", UINT64_MAX);
  kiln_json_member_known(&fixture.json, "k", -0.1);
  kiln_json_member_known(&fixture.json, "l", 0);
  kiln_json_member_double(&fixture.json, "d", -0.5);
  kiln_json_member_bool(&fixture.json, "b", true);
  kiln_json_member_texts(&fixture.json, "ts", texts, 2);
  kiln_json_member_doubles(&fixture.json, "ds", doubles, 2);
  kiln_json_member_object(&fixture.json, "o");
  kiln_json_object_end(&fixture.json);
  kiln_json_member_array(&fixture.json, "a");
  kiln_json_array_end(&fixture.json);
  kiln_json_object_end(&fixture.json);
  expect(&fixture,
      "{\"t\":\"\",\"n\":null,\"f\":null,\"g\":\"x\",\"i\":-1,\"u\":18446744073709551615,\"k\":null,\"l\":0,"
      "\"d\":-0.5,\"b\":true,\"ts\":[\"a\",null],\"ds\":[0.5,2],\"o\":{},\"a\":[]}");
}

/* Every single byte, written and read again. */
static void
test_what_is_written_can_be_read(void **state)
{
  (void)state;
  for (int byte = 1; byte < 256; byte++) {
    char text[4] = {'a', (char)byte, 'z', '\0'};
    struct fixture fixture;
    begin(&fixture, byte % 2 == 0);
    kiln_json_object(&fixture.json);
    kiln_json_key(&fixture.json, text);
    kiln_json_string(&fixture.json, text);
    kiln_json_object_end(&fixture.json);
    struct cJSON *tree = NULL;
    assert_int_equal(kiln_json_parse(fixture.buf.data, fixture.buf.len, "x", &tree, NULL), KILN_OK);
    const char *expected = byte < 0x80 ? text : "a" BAD "z";
    assert_string_equal(kiln_json_get_string(tree, expected, ""), expected);
    kiln_json_free(tree);
    kiln_buf_release(&fixture.buf);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compact),
      cmocka_unit_test(test_pretty),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_decimal_point_in_every_locale),
      cmocka_unit_test(test_escapes),
      cmocka_unit_test(test_only_utf8_comes_out),
      cmocka_unit_test(test_keys_are_escaped),
      cmocka_unit_test(test_members),
      cmocka_unit_test(test_too_deep_is_a_failure_not_a_crash),
      cmocka_unit_test(test_what_is_written_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
