/* What nvcc and the programs behind it print, cut down to the line that matters. Texts as 13.0 and 11.8 wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/nvcc/nvcc.h"

static const struct {
  const char *log;
  int exit_code, signal;
  const char *first, *hint; /* hint: a part of it; "": none */
  bool passing;
} rows[] = {
    {"scale.cu(3): error: identifier \"foo\" is undefined\n    foo(x);\n    ^\n\n1 error detected in the compilation "
     "of "
     "\"scale.cu\".\n",
        2, 0, "scale.cu(3): error: identifier \"foo\" is undefined", "", false},
    {"scale.cu(2): warning #177-D: variable \"i\" was declared but never referenced\n\nscale.cu(4): error: expected a "
     "\";\"\n",
        2, 0, "scale.cu(4): error: expected a \";\"", "", false},
    {"scale.cu:1:10: fatal error: absent.cuh: No such file or directory\n    1 | #include \"absent.cuh\"\n"
     "compilation terminated.\n",
        1, 0, "scale.cu:1:10: fatal error: absent.cuh: No such file or directory", "", false},
    {"nvcc fatal   : Unsupported gpu architecture 'compute_90a'\n", 1, 0,
        "nvcc fatal   : Unsupported gpu architecture 'compute_90a'", "KILN_CUDA", false},
    {"ptxas info    : 11 bytes gmem\nptxas error   : Entry function 'scale' uses too much shared data (0x40000 bytes, "
     "0xc000 max)\n",
        255, 0, "ptxas error   : Entry function 'scale' uses too much shared data (0x40000 bytes, 0xc000 max)",
        "shared memory", false},
    {"ptxas fatal   : Unresolved extern function 'g'\n", 255, 0, "ptxas fatal   : Unresolved extern function 'g'", "",
        false},
    {"In file included from <command-line>:\n/k/crt/host_config.h:136:2: error: #error -- unsupported GNU version! gcc "
     "versions later than 11 are not supported!\n",
        1, 0,
        "/k/crt/host_config.h:136:2: error: #error -- unsupported GNU version! gcc versions later than 11 are not "
        "supported!",
        "KILN_CC", false},
    {"cc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\ncompilation terminated.\n", 1, 0,
        "cc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory", "g++", false},
    {"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\n", 9, 0,
        "nvcc error   : 'cicc' died due to signal 9 (Kill signal)", "memory", true},
    {"nvcc error   : 'ptxas' died due to signal 11 (Invalid memory reference)\n", 11, 0,
        "nvcc error   : 'ptxas' died due to signal 11 (Invalid memory reference)", "fault of the compiler", true},
    {"Killed\n", 137, 0, "Killed", "memory", true},
    {"", 137, 0, "the compiler was killed (signal 9) and printed nothing", "memory", true},
    {"", 0, 9, "the compiler was killed (signal 9) and printed nothing", "memory", true},
    {"", 139, 0, "the compiler crashed (signal 11) and printed nothing", "fault of the compiler", true},
    {"", 1, 0, "the compiler ended with status 1 and printed nothing", "KILN_KEEP=1", false},
    {"scale.cu(1): catastrophic error: cannot open source file \"x\"\n", 2, 0,
        "scale.cu(1): catastrophic error: cannot open source file \"x\"", "", false},
};

static void
test_rows(void **state)
{
  struct kiln_buf first;
  const char *hint;
  (void)state;
  kiln_buf_init(&first);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    kiln_nvcc_diagnose(rows[i].log, rows[i].exit_code, rows[i].signal, &first, &hint);
    assert_string_equal(kiln_buf_text(&first), rows[i].first);
    if (*rows[i].hint ? !strstr(hint, rows[i].hint) : *hint != '\0')
      fail_msg("row %zu: hint '%s'", i, hint);
    assert_int_equal(kiln_nvcc_is_passing(rows[i].log, rows[i].exit_code, rows[i].signal), rows[i].passing);
  }
  kiln_buf_release(&first);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
