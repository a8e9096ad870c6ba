#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/command.h"

static void
splits(const char *line, const char *const *expected)
{
  struct kiln_error error = {0};
  char **words;
  size_t count, i;
  if (kiln_command_split(line, &words, &count, &error) != KILN_OK)
    fail_msg("'%s': %s", line, error.what);
  for (i = 0; expected[i]; i++) {
    assert_true(i < count);
    assert_string_equal(words[i], expected[i]);
  }
  assert_int_equal(count, i);
  assert_null(words[count]);
  free(words);
}

static void
refuses(const char *line, const char *quoted)
{
  struct kiln_error error = {0};
  char **words;
  size_t count;
  assert_int_equal(kiln_command_split(line, &words, &count, &error), KILN_ERROR_ARGUMENT);
  assert_null(words);
  assert_non_null(strstr(error.what, quoted));
  assert_true(error.remedy[0] != '\0');
}

static void
test_words(void **state)
{
  (void)state;
  splits("", (const char *const[]){NULL});
  splits(" \t ", (const char *const[]){NULL});
  splits("python sim.py", (const char *const[]){"python", "sim.py", NULL});
  splits("  a\tb  ", (const char *const[]){"a", "b", NULL});
  splits("a b c d e f g", (const char *const[]){"a", "b", "c", "d", "e", "f", "g", NULL});
  splits("--frames=10 x~y a#b", (const char *const[]){"--frames=10", "x~y", "a#b", NULL});
}

static void
test_quotes(void **state)
{
  (void)state;
  splits("'a b'  \"c d\"", (const char *const[]){"a b", "c d", NULL});
  splits("a'b'\"c\"d", (const char *const[]){"abcd", NULL});
  splits("'' \"\"", (const char *const[]){"", "", NULL});
  splits("'a\\b' \"a\\b\"", (const char *const[]){"a\\b", "a\\b", NULL});
  splits("\"\\\"\\\\\\$\\`\"", (const char *const[]){"\"\\$`", NULL});
  splits("a\\ b \\'c \\$HOME \\\\", (const char *const[]){"a b", "'c", "$HOME", "\\", NULL});
  splits("sh -c 'a; b > $c'", (const char *const[]){"sh", "-c", "a; b > $c", NULL});
  splits("'#a' \"~\"", (const char *const[]){"#a", "~", NULL});
}

static void
test_refusals(void **state)
{
  static const char acts[] = "$`|&;<>()*?[";
  char line[] = "a b_c";
  size_t i;
  (void)state;
  for (i = 0; acts[i]; i++) {
    line[3] = acts[i];
    refuses(line, line);
  }
  refuses("a\nb", "shell");
  refuses("#a", "#");
  refuses("a ~/b", "~");
  refuses("a 'b", "' is not closed");
  refuses("a \"b\\\"", "\" is not closed");
  refuses("a\\", "\\");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words), cmocka_unit_test(test_quotes), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
