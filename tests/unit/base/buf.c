#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"

static void
test_empty_is_a_string(void **state)
{
  (void)state;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  assert_string_equal(kiln_buf_text(&buf), "");
  kiln_buf_append(&buf, NULL, 0);
  kiln_buf_text_append(&buf, NULL);
  assert_int_equal(buf.len, 0);
  assert_false(buf.failed);
  kiln_buf_release(&buf);
  kiln_buf_release(&buf);
}

static void
test_appends_grow_and_end_in_nul(void **state)
{
  (void)state;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  for (int i = 0; i < 10000; i++) {
    kiln_buf_append(&buf, "ab\0c", 4);
    assert_int_equal(buf.data[buf.len], '\0');
    assert_true(buf.len < buf.capacity);
  }
  assert_int_equal(buf.len, 40000);
  assert_memory_equal(buf.data + 39996, "ab\0c", 5);
  kiln_buf_clear(&buf);
  assert_string_equal(kiln_buf_text(&buf), "");
  assert_true(buf.capacity > 40000);
  kiln_buf_release(&buf);
}

static void
test_printf_of_every_length(void **state)
{
  (void)state;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  size_t expected = 0;
  for (int width = 0; width < 300; width++) {
    kiln_buf_printf(&buf, "%*s", width, "");
    expected += (size_t)width;
    assert_int_equal(buf.len, expected);
    assert_int_equal(strlen(buf.data), expected);
  }
  kiln_buf_clear(&buf);
  kiln_buf_printf(&buf, "%s-%d", "x", 7);
  kiln_buf_printf(&buf, "%%");
  assert_string_equal(buf.data, "x-7%");
  kiln_buf_release(&buf);
}

static void
test_failure_stays_until_clear(void **state)
{
  (void)state;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  kiln_buf_text_append(&buf, "kept");
  assert_false(kiln_buf_reserve(&buf, SIZE_MAX));
  assert_true(buf.failed);
  assert_false(kiln_buf_reserve(&buf, SIZE_MAX - buf.len));
  assert_false(kiln_buf_reserve(&buf, SIZE_MAX / 2));
  kiln_buf_text_append(&buf, "more");
  assert_string_equal(buf.data, "kept");
  assert_true(buf.failed);
  kiln_buf_clear(&buf);
  kiln_buf_text_append(&buf, "again");
  assert_false(buf.failed);
  assert_string_equal(buf.data, "again");
  kiln_buf_release(&buf);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty_is_a_string),
      cmocka_unit_test(test_appends_grow_and_end_in_nul),
      cmocka_unit_test(test_printf_of_every_length),
      cmocka_unit_test(test_failure_stays_until_clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
