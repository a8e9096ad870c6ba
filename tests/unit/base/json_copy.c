/* A value that was read is written again as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_copy.h"

static void
assert_copy(const char *text, const char *expected)
{
  struct kiln_buf out;
  struct kiln_json json;
  kiln_buf_init(&out);
  kiln_json_init(&json, &out, false);
  assert_int_equal(kiln_json_copy_text(text, &json, NULL), KILN_OK);
  assert_string_equal(kiln_buf_text(&out), expected);
  kiln_buf_release(&out);
}

static void
values_stay(void **state)
{
  (void)state;
  const char *whole = "{\"a\":[1,2.5,-3,\"x\\\"y\",true,false,null,[],{}],\"b\":{\"c\":9007199254740992}}";
  assert_copy(whole, whole);
  assert_copy("\"only a text\"", "\"only a text\"");
  assert_copy(" [ 1e3 ] ", "[1000]");
}

static void
what_is_no_json_is_refused(void **state)
{
  (void)state;
  struct kiln_buf out;
  struct kiln_json json;
  struct kiln_error error = {0};
  kiln_buf_init(&out);
  kiln_json_init(&json, &out, false);
  assert_int_equal(kiln_json_copy_text("{\"a\":", &json, &error), KILN_ERROR_FORMAT);
  assert_int_equal(out.len, 0);
  assert_non_null(strstr(error.what, "JSON"));
  kiln_buf_release(&out);
}

static void
what_nests_too_deep_becomes_null(void **state)
{
  (void)state;
  char text[2 * 60 + 1] = {0};
  memset(text, '[', 60);
  memset(text + 60, ']', 60);
  struct kiln_buf out;
  struct kiln_json json;
  kiln_buf_init(&out);
  kiln_json_init(&json, &out, false);
  assert_int_equal(kiln_json_copy_text(text, &json, NULL), KILN_OK);
  assert_non_null(strstr(kiln_buf_text(&out), "[null]"));
  assert_int_equal(json.depth, 0);
  kiln_buf_release(&out);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_stay),
      cmocka_unit_test(what_is_no_json_is_refused),
      cmocka_unit_test(what_nests_too_deep_becomes_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
