#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/text.h"

static void
test_comparisons(void **state)
{
  (void)state;
  assert_true(kiln_text_equal(NULL, NULL));
  assert_false(kiln_text_equal(NULL, ""));
  assert_false(kiln_text_equal("", NULL));
  assert_true(kiln_text_equal("a", "a"));
  assert_false(kiln_text_equal("a", "b"));
  assert_true(kiln_text_starts("abc", "ab"));
  assert_true(kiln_text_starts("abc", ""));
  assert_false(kiln_text_starts("ab", "abc"));
  assert_true(kiln_text_ends("abc", "bc"));
  assert_false(kiln_text_ends("bc", "abc"));
  assert_false(kiln_text_ends(NULL, "x"));
}

static void
test_path_within(void **state)
{
  (void)state;
  assert_true(kiln_text_path_within("/a/b", "/a"));
  assert_true(kiln_text_path_within("/a/b", "/a/"));
  assert_true(kiln_text_path_within("/a", "/a"));
  assert_true(kiln_text_path_within("/a", "/a//"));
  assert_false(kiln_text_path_within("/ab", "/a"));
  assert_false(kiln_text_path_within("/", "/a"));
  assert_true(kiln_text_path_within("/a", "/"));
  assert_true(kiln_text_path_within("/", "/"));
  assert_false(kiln_text_path_within("a", "/"));
  assert_false(kiln_text_path_within("a", ""));
  assert_false(kiln_text_path_within("", "/"));
  assert_false(kiln_text_path_within(NULL, "/"));
  assert_false(kiln_text_path_within("/", NULL));
}

static void
test_base_name(void **state)
{
  (void)state;
  assert_string_equal(kiln_text_base_name("/a/b.c"), "b.c");
  assert_string_equal(kiln_text_base_name("b.c"), "b.c");
  assert_string_equal(kiln_text_base_name("a/"), "");
}

static void
test_parse_uint(void **state)
{
  (void)state;
  static const char *const refused[] = {
      NULL, "", " 1", "1 ", "+1", "-1", "0x1", "1.0", "18446744073709551616", "99999999999999999999"};
  uint64_t value = 77;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    assert_false(kiln_text_parse_uint(refused[i], &value));
  assert_int_equal(value, 77);
  assert_true(kiln_text_parse_uint("18446744073709551615", &value));
  assert_true(value == UINT64_MAX);
  assert_true(kiln_text_parse_uint("007", &value));
  assert_int_equal(value, 7);
}

static void
test_parse_seconds(void **state)
{
  (void)state;
  static const char *const refused[] = {
      NULL, "", ".", "1.", ".5", "-1", "+1", "1e3", "inf", "nan", "0x1", "1,5", "1 ", " 1", "1.5s"};
  double value = 77;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    assert_false(kiln_text_parse_seconds(refused[i], &value));
  assert_true(value == 77);
  assert_true(kiln_text_parse_seconds("2", &value) && value == 2);
  assert_true(kiln_text_parse_seconds("0.5", &value) && value == 0.5);
  assert_true(kiln_text_parse_seconds("0.1", &value) && value == 0.1);
  assert_true(kiln_text_parse_seconds("0.100000000000000000000000000000000", &value) && value == 0.1);
  char many[400];
  for (size_t i = 0; i < sizeof many - 1; i++)
    many[i] = '9';
  many[sizeof many - 1] = '\0';
  assert_false(kiln_text_parse_seconds(many, &value));
}

static void
test_join(void **state)
{
  (void)state;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  assert_string_equal(kiln_text_join(&buf, "/a", "b"), "/a/b");
  assert_string_equal(kiln_text_join(&buf, "/a/", "b"), "/a/b");
  assert_string_equal(kiln_text_join(&buf, "/a//", "/b"), "/a/b");
  assert_string_equal(kiln_text_join(&buf, "/", "b"), "/b");
  assert_string_equal(kiln_text_join(&buf, "", "b"), "b");
  assert_string_equal(kiln_text_join(&buf, "a", ""), "a/");
  kiln_buf_release(&buf);
}

#define EXPECT(call, expected)                                                                                         \
  do {                                                                                                                 \
    struct kiln_buf buf;                                                                                               \
    kiln_buf_init(&buf);                                                                                               \
    call;                                                                                                              \
    assert_string_equal(kiln_buf_text(&buf), expected);                                                                \
    kiln_buf_release(&buf);                                                                                            \
  } while (0)

static void
test_shell_word(void **state)
{
  (void)state;
  EXPECT(kiln_text_shell_word(&buf, "plain-1_2/3.py"), "plain-1_2/3.py");
  EXPECT(kiln_text_shell_word(&buf, "--x=1"), "--x=1");
  EXPECT(kiln_text_shell_word(&buf, ""), "''");
  EXPECT(kiln_text_shell_word(&buf, "a b"), "'a b'");
  EXPECT(kiln_text_shell_word(&buf, "it's"), "'it'\\''s'");
  EXPECT(kiln_text_shell_word(&buf, "'"), "''\\'''");
  EXPECT(kiln_text_shell_word(&buf, "$HOME"), "'$HOME'");
  EXPECT(kiln_text_shell_word(&buf, "~"), "'~'");
  EXPECT(kiln_text_shell_word(&buf, "a\nb"), "'a\nb'");
}

static void
test_duration(void **state)
{
  (void)state;
  EXPECT(kiln_text_duration(&buf, 0), "0.0 ms");
  EXPECT(kiln_text_duration(&buf, 0.0004), "0.4 ms");
  EXPECT(kiln_text_duration(&buf, 0.0123), "12.3 ms");
  EXPECT(kiln_text_duration(&buf, 0.09996), "100 ms");
  EXPECT(kiln_text_duration(&buf, 0.9994), "999 ms");
  EXPECT(kiln_text_duration(&buf, 0.9997), "1.00 s");
  EXPECT(kiln_text_duration(&buf, 1.234), "1.23 s");
  EXPECT(kiln_text_duration(&buf, 9.996), "10.0 s");
  EXPECT(kiln_text_duration(&buf, 12.34), "12.3 s");
  EXPECT(kiln_text_duration(&buf, 59.97), "1 min 0 s");
  EXPECT(kiln_text_duration(&buf, 125), "2 min 5 s");
  EXPECT(kiln_text_duration(&buf, 3599.7), "1 h 0 min");
  EXPECT(kiln_text_duration(&buf, 7325), "2 h 2 min");
  EXPECT(kiln_text_duration(&buf, -0.0123), "-12.3 ms");
  EXPECT(kiln_text_duration(&buf, HUGE_VAL), "unknown");
}

static void
test_bytes(void **state)
{
  (void)state;
  EXPECT(kiln_text_bytes(&buf, 0), "0 B");
  EXPECT(kiln_text_bytes(&buf, 812), "812 B");
  EXPECT(kiln_text_bytes(&buf, 999), "999 B");
  EXPECT(kiln_text_bytes(&buf, 1000), "1.0 KB");
  EXPECT(kiln_text_bytes(&buf, 7120), "7.1 KB");
  EXPECT(kiln_text_bytes(&buf, 999600), "1.00 MB");
  EXPECT(kiln_text_bytes(&buf, 1480000), "1.48 MB");
  EXPECT(kiln_text_bytes(&buf, 14800000), "14.8 MB");
  EXPECT(kiln_text_bytes(&buf, 148e9), "148 GB");
  EXPECT(kiln_text_bytes(&buf, -1480000), "-1.48 MB");
}

static void
test_columns(void **state)
{
  (void)state;
  assert_int_equal(kiln_text_columns(""), 0);
  assert_int_equal(kiln_text_columns("abc"), 3);
  assert_int_equal(kiln_text_columns("\xc3\xa9\xe2\x80\xa6"), 2);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_comparisons),
      cmocka_unit_test(test_path_within),
      cmocka_unit_test(test_base_name),
      cmocka_unit_test(test_parse_uint),
      cmocka_unit_test(test_parse_seconds),
      cmocka_unit_test(test_join),
      cmocka_unit_test(test_shell_word),
      cmocka_unit_test(test_duration),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
