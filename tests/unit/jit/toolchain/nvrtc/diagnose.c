#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/nvrtc/nvrtc.h"

static const struct {
  const char *log;
  int result;
  const char *error, *hint;
} rows[] = {
    {"k.cu(1): warning #20-D: x\n\nk.cu(3): error: identifier \"x\" is undefined\n  x\n  ^\n\n1 error detected in the "
     "compilation of \"k.cu\".\n",
        6, "k.cu(3): error: identifier \"x\" is undefined", ""},
    {"a.h(2): error #77-D: this declaration has no type\n", 6, "a.h(2): error #77-D: this declaration has no type", ""},
    {"k.cu(1): catastrophic error: could not open source file \"no.h\" (no directories in search list)\n", 6,
        "k.cu(1): catastrophic error: could not open source file \"no.h\" (no directories in search list)",
        "include of the spec"},
    {"nvrtc: error: unrecognized option --x found\n", 5, "nvrtc: error: unrecognized option --x found",
        "KILN_CUDA_FLAGS"},
    {"ptxas error   : Entry function 'k' uses too much shared data\n", 6,
        "ptxas error   : Entry function 'k' uses too much shared data", ""},
    {"", 1, "NVRTC ended with WORDS (1) and printed nothing", "Memory is short"},
    {"k.cu(1): warning: x\n", 7, "NVRTC ended with WORDS (7)", ""},
};

static void
test_rows(void **state)
{
  struct kiln_buf error;
  (void)state;
  kiln_buf_init(&error);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *hint;
    kiln_nvrtc_diagnose(rows[i].log, rows[i].result, "WORDS", &error, &hint);
    assert_string_equal(kiln_buf_text(&error), rows[i].error);
    assert_non_null(strstr(hint, rows[i].hint));
    assert_int_equal(*hint == '\0', *rows[i].hint == '\0');
  }
  kiln_buf_release(&error);
}

static void
test_long_lines_are_cut(void **state)
{
  struct kiln_buf log, error;
  const char *hint;
  (void)state;
  kiln_buf_init(&log);
  kiln_buf_init(&error);
  kiln_buf_text_append(&log, "k.cu(1): error: ");
  for (int i = 0; i < 1000; i++)
    kiln_buf_text_append(&log, "x");
  kiln_nvrtc_diagnose(kiln_buf_text(&log), 6, "", &error, &hint);
  assert_int_equal(error.len, 500);
  kiln_buf_release(&log);
  kiln_buf_release(&error);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_long_lines_are_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
