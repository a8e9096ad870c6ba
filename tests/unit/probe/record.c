#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file.h"
#include "probe/record.h"

static int
make_folder(void **state)
{
  static struct kiln_buf folder;
  kiln_buf_init(&folder);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-record-", &folder, NULL), KILN_OK);
  *state = folder.data;
  return 0;
}

static int
remove_folder(void **state)
{
  kiln_folder_remove(*state, NULL);
  free(*state);
  return 0;
}

/* What a shell makes of the lines: LD_PRELOAD, then KILN_EVENTS. */
static void
expect_shell(const char *lines, const char *before, const char *expected)
{
  struct kiln_buf script;
  char got[512] = "";
  kiln_buf_init(&script);
  kiln_buf_printf(&script, "%s\n%s%secho \"$LD_PRELOAD|$KILN_EVENTS\"", before, lines, lines);
  FILE *pipe = popen(kiln_buf_text(&script), "r");
  assert_non_null(pipe);
  while (fgets(got, sizeof got, pipe))
    ;
  assert_int_equal(pclose(pipe), 0);
  assert_string_equal(got, expected);
  kiln_buf_release(&script);
}

static void
test_lines_for_a_shell(void **state)
{
  (void)state;
  struct kiln_buf lines;
  struct kiln_error error;
  kiln_buf_init(&lines);
  assert_int_equal(kiln_record_shell("/a b/it's", "/opt/k$x.so", &lines, &error), KILN_OK);
  expect_shell(kiln_buf_text(&lines), "unset LD_PRELOAD", "/opt/k$x.so|/a b/it's\n");
  expect_shell(kiln_buf_text(&lines), "LD_PRELOAD=/none.so", "/opt/k$x.so:/none.so|/a b/it's\n");
  expect_shell(kiln_buf_text(&lines), "set -u; LD_PRELOAD=", "/opt/k$x.so|/a b/it's\n");
  kiln_buf_clear(&lines);
  assert_int_equal(kiln_record_shell("/a", "/with space.so", &lines, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, "/with space.so"));
  kiln_buf_release(&lines);
}

static void
test_folders(void **state)
{
  const char *folder = *state;
  struct kiln_buf path;
  struct kiln_error error;
  char name[160];
  kiln_buf_init(&path);
  snprintf(name, sizeof name, "%s/deep/er", folder);
  assert_int_equal(kiln_record_folder(name, true, &path, &error), KILN_OK);
  assert_string_equal(kiln_buf_text(&path), name);
  assert_int_equal(kiln_record_folder(name, true, &path, &error), KILN_OK);
  snprintf(name, sizeof name, "%s/deep/er/1.2.jsonl", folder);
  assert_int_equal(kiln_file_write(name, "{}", 2, NULL), KILN_OK);
  snprintf(name, sizeof name, "%s/deep/er", folder);
  assert_int_equal(kiln_record_folder(name, true, &path, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, name));
  kiln_buf_clear(&path);
  assert_int_equal(kiln_record_folder(name, false, &path, &error), KILN_OK);
  snprintf(name, sizeof name, "%s/deep/er/1.2.jsonl/x", folder);
  assert_int_equal(kiln_record_folder(name, true, &path, &error), KILN_ERROR_ENVIRONMENT);
  kiln_buf_release(&path);
}

static void
test_complaints(void **state)
{
  (void)state;
  static const struct {
    struct kiln_run_result result;
    enum kiln_report_state state;
    const char *part;
  } cases[] = {
      {{.end = KILN_RUN_ENDED}, KILN_REPORT_COMPLETE, ""},
      {{.end = KILN_RUN_ENDED, .exit_code = 9}, KILN_REPORT_FAILED, "code 9"},
      {{.end = KILN_RUN_ENDED, .signal = 11}, KILN_REPORT_FAILED, "signal 11"},
      {{.end = KILN_RUN_NOT_STARTED, .start_errno = 2}, KILN_REPORT_FAILED, "not found"},
      {{.end = KILN_RUN_TIMEOUT, .signal = 9}, KILN_REPORT_INVALID, "2.5 s"},
      {{.end = KILN_RUN_INTERRUPTED, .signal = 2}, KILN_REPORT_INTERRUPTED, "interrupted"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_buf text;
    enum kiln_report_state got;
    kiln_buf_init(&text);
    assert_int_equal(kiln_record_complaint("cmd", 2.5, &cases[i].result, &got, &text), i > 0);
    assert_int_equal(got, cases[i].state);
    assert_non_null(strstr(kiln_buf_text(&text), cases[i].part));
    assert_int_equal(text.len > 0, i > 0);
    kiln_buf_release(&text);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_for_a_shell),
      cmocka_unit_test_setup_teardown(test_folders, make_folder, remove_folder),
      cmocka_unit_test(test_complaints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
