/* nvcc's table of times, as 13.0 wrote it, and tables that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/nvcc/nvcc.h"

#define HEAD "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n"

static void
test_phases(void **state)
{
  struct kiln_build_output output;
  (void)state;
  kiln_build_output_init(&output);
  kiln_nvcc_phases(HEAD "s.cu , gcc (preprocessing 1) , s.cu  , /tmp/x.ii , compute_90a , nvcc , 259.7810 , ms\n"
                        "s.cu , cicc , /tmp/x.ii  , /tmp/x.ptx , compute_90a , nvcc , 966.9410 , ms\n"
                        "s.cu , gcc (preprocessing 1) , s.cu  , /tmp/y.ii , compute_80 , nvcc , 0.2190 , ms\n"
                        "s.cu , cicc , /tmp/y.ii  , /tmp/y.ptx , compute_80 , nvcc , 33.0590 , ms\n"
                        "s.cu , ptxas , /tmp/x.ptx  , out , sm_90a , nvcc , 45.0700 , ms\n"
                        " , nvcc (driver) ,  , out ,  , nvcc , 0.2500 , ms\n",
      &output);
  assert_int_equal(output.phase_count, 4);
  assert_string_equal(output.phases[0].name, "gcc (preprocessing 1)");
  assert_int_equal(output.phases[0].ns, 260000000);
  assert_string_equal(output.phases[1].name, "cicc");
  assert_int_equal(output.phases[1].ns, 1000000000);
  assert_string_equal(output.phases[3].name, "nvcc (driver)");
  assert_int_equal(output.phases[3].ns, 250000);
  kiln_build_output_release(&output);
}

static void
test_others(void **state)
{
  static const char *const tables[] = {"", "\n\n", HEAD, ",,,,,,,\n", "a,b,c,d,e,f,1,s\n", "a,b,c,d,e,f,-1,ms\n",
      "a,b,c,d,e,f,1e300,ms\n", "a,b,c,d,e,f,nan,ms\n", "a,b,c,d,e,f,g,h,1,ms\n", "a,b,1,ms", "a,,c,d,e,f,1,ms\n",
      "a,a name of a phase that is longer than anything,c,d,e,f,1,ms\n"};
  struct kiln_build_output output;
  (void)state;
  kiln_build_output_init(&output);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    kiln_nvcc_phases(tables[i], &output);
    assert_int_equal(output.phase_count, 0);
  }
  for (char name[] = "a,a,c,d,e,f,1,ms\n"; name[2] < 'z'; name[2]++)
    kiln_nvcc_phases(name, &output);
  assert_int_equal(output.phase_count, KILN_BUILD_MOST_PHASES);
  kiln_build_output_release(&output);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_phases), cmocka_unit_test(test_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
