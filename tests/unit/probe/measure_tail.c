/* The last lines of an output, fit for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/measure_tail.h"

static struct kiln_buf folder, path, out;

static int
setup(void **state)
{
  (void)state;
  kiln_buf_init(&folder);
  kiln_buf_init(&path);
  kiln_buf_init(&out);
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-unit-", &folder, NULL) != KILN_OK) {
    return -1;
  }
  kiln_text_join(&path, kiln_buf_text(&folder), "stdout");
  return 0;
}

static int
teardown(void **state)
{
  (void)state;
  kiln_folder_remove(kiln_buf_text(&folder), NULL);
  kiln_buf_release(&folder);
  kiln_buf_release(&path);
  kiln_buf_release(&out);
  return 0;
}

static const char *
tail_of(const char *text, size_t len)
{
  assert_int_equal(kiln_file_write(kiln_buf_text(&path), text, len, NULL), KILN_OK);
  kiln_tail_append(&out, "Said", kiln_buf_text(&path));
  return kiln_buf_text(&out);
}

static void
short_output(void **state)
{
  (void)state;
  assert_string_equal(tail_of("one\ntwo\n", 8), "Said:\none\ntwo\n");
}

static void
no_newline_at_the_end(void **state)
{
  (void)state;
  assert_string_equal(tail_of("one\ntwo", 7), "Said:\none\ntwo\n");
}

static void
nothing_said(void **state)
{
  (void)state;
  assert_string_equal(tail_of("", 0), "");
  kiln_tail_append(&out, "Said", "/nowhere/at/all");
  assert_string_equal(kiln_buf_text(&out), "");
}

static void
only_the_last_lines(void **state)
{
  struct kiln_buf text;
  int i;
  (void)state;
  kiln_buf_init(&text);
  for (i = 0; i < 50000; i++) {
    kiln_buf_printf(&text, "line %d\n", i);
  }
  tail_of(kiln_buf_text(&text), text.len);
  assert_true(kiln_text_starts(kiln_buf_text(&out), "Said:\nline 49980\n"));
  assert_true(kiln_text_ends(kiln_buf_text(&out), "\nline 49999\n"));
  kiln_buf_release(&text);
}

static void
one_endless_line(void **state)
{
  size_t len = 200000;
  char *text = malloc(len);
  (void)state;
  assert_non_null(text);
  memset(text, 'x', len);
  tail_of(text, len);
  assert_int_equal(out.len, strlen("Said:\n") + 16384 + 1);
  free(text);
}

static void
control_characters(void **state)
{
  (void)state;
  assert_string_equal(tail_of("a\033[31mb\0c\rd\te\177\n", 15), "Said:\na?[31mb?c?d\te?\n");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(short_output, setup, teardown),
      cmocka_unit_test_setup_teardown(no_newline_at_the_end, setup, teardown),
      cmocka_unit_test_setup_teardown(nothing_said, setup, teardown),
      cmocka_unit_test_setup_teardown(only_the_last_lines, setup, teardown),
      cmocka_unit_test_setup_teardown(one_endless_line, setup, teardown),
      cmocka_unit_test_setup_teardown(control_characters, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
