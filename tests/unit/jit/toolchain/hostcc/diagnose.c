/* The one line that says what is wrong, out of what compilers print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/hostcc/hostcc.h"

static void
expect(const char *log, int exit_code, int signal, const char *line, const char *hint_word, bool passing)
{
  struct kiln_buf text;
  const char *hint;
  kiln_buf_init(&text);
  kiln_hostcc_diagnose(log, exit_code, signal, &text, &hint);
  assert_string_equal(kiln_buf_text(&text), line);
  if (!strstr(hint, hint_word) || (*hint_word == '\0' && *hint != '\0'))
    fail_msg("hint '%s', wanted '%s'", hint, hint_word);
  assert_int_equal(kiln_hostcc_is_passing(log, exit_code, signal), passing);
  kiln_buf_release(&text);
}

static void
test_compilers(void **state)
{
  (void)state;
  expect("a.c: In function 'f':\na.c:3:5: warning: unused\na.c:4:2: error: 'x' undeclared\na.c:9:1: error: later\n", 1,
      0, "a.c:4:2: error: 'x' undeclared", "", false);
  expect("a.c:1:10: fatal error: no.h: No such file or directory\ncompilation terminated.\n", 1, 0,
      "a.c:1:10: fatal error: no.h: No such file or directory", "", false);
  expect("a.c:1:10: fatal error: 'no.h' file not found\n1 error generated.\n", 1, 0,
      "a.c:1:10: fatal error: 'no.h' file not found", "", false);
  expect("cc1: error: unknown flag\n", 1, 0, "cc1: error: unknown flag", "", false);
}

static void
test_linkers(void **state)
{
  (void)state;
  expect("/usr/bin/ld: tmp/x.o: in function `f':\na.c:(.text+0x5): undefined reference to `g'\n"
         "collect2: error: ld returned 1 exit status\n",
      1, 0, "a.c:(.text+0x5): undefined reference to `g'", "-lm", false);
  expect("/usr/bin/ld: cannot find -lno: No such file or directory\ncollect2: error: ld returned 1 exit status\n", 1, 0,
      "/usr/bin/ld: cannot find -lno: No such file or directory", "", false);
  expect("collect2: error: ld returned 1 exit status\n", 1, 0, "collect2: error: ld returned 1 exit status", "", false);
}

static void
test_ends(void **state)
{
  (void)state;
  expect("gcc: fatal error: Killed signal terminated program cc1\ncompilation terminated.\n", 1, 0,
      "gcc: fatal error: Killed signal terminated program cc1", "memory", true);
  expect("", 0, 9, "the compiler was killed (signal 9) and printed nothing", "memory", true);
  expect("", 137, 0, "the compiler was killed (signal 9) and printed nothing", "memory", true);
  expect("", 139, 0, "the compiler crashed (signal 11) and printed nothing", "KILN_CC", true);
  expect("", 3, 0, "the compiler ended with status 3 and printed nothing", "KILN_KEEP", false);
  expect("hello\n", 3, 0, "the compiler ended with status 3", "", false);
  expect("as: o.o: No space left on device\n", 1, 0, "as: o.o: No space left on device", "KILN_CACHE_DIR", true);
}

static void
test_a_long_line_is_cut(void **state)
{
  char log[4096];
  struct kiln_buf text;
  const char *hint;
  (void)state;
  kiln_buf_init(&text);
  memset(log, 'x', sizeof log);
  memcpy(log, "error: ", 7);
  log[sizeof log - 1] = '\0';
  kiln_hostcc_diagnose(log, 1, 0, &text, &hint);
  assert_int_equal(text.len, 500);
  kiln_buf_release(&text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_compilers), cmocka_unit_test(test_linkers),
      cmocka_unit_test(test_ends), cmocka_unit_test(test_a_long_line_is_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
