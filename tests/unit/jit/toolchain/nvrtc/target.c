#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/nvrtc/nvrtc.h"
#include "unit/jit/toolchain/nvrtc/toolkit.h"

/* Is this spec refused before anything happens, and why? */
static void
refuse(struct toolkit *toolkit, struct kiln_spec *spec, const char *what, const char *remedy)
{
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_ERROR_ARGUMENT);
  toolkit_assert_error(toolkit, what, remedy);
  toolkit_assert_log(toolkit, "create", false);
}

static void
test_sources(void **state)
{
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  kiln_spec_add_source(spec, "two.cu", "", 0, NULL);
  refuse(*state, spec, "two sources that are compiled, 'k.cu' and 'two.cu'", "toolchain nvcc");
  spec = toolkit_spec("sm_90", NULL);
  kiln_spec_add_source(spec, "a.cpp", "", 0, NULL);
  refuse(*state, spec, "source 'a.cpp' is nothing that nvrtc compiles", ".cuh");
  assert_int_equal(kiln_spec_new("k", "nvrtc", &spec, NULL), KILN_OK);
  kiln_spec_add_source(spec, "a.h", "", 0, NULL);
  kiln_spec_add_entry_point(spec, "k", NULL);
  refuse(*state, spec, "spec 'k' has headers only", ".cu");
}

static void
test_architectures(void **state)
{
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  kiln_spec_add_arch(spec, "sm_100", NULL);
  refuse(*state, spec, "names 2 architectures, sm_90 sm_100", "toolchain nvcc");
  refuse(*state, toolkit_spec("9.0+PTX", NULL), "names 2 architectures, sm_90 compute_90", "make a spec for each");
  refuse(*state, toolkit_spec("sm_9x", NULL), "'sm_9x'", "");
}

static void
test_flags(void **state)
{
  static const char *const flags[] = {"-arch=sm_80", "--gpu-architecture=sm_80", "-rdc=true", "-dc", "-dlto",
      "--pre-include=x.h", "--pch", "--use-pch=x", "--time=x", "-Xcudafe=--dependencies", "--include-path=x"};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
    if (kiln_spec_add_flag(spec, flags[i], NULL) == KILN_OK)
      refuse(*state, spec, flags[i], "");
    else
      kiln_spec_free(spec); /* refused for every toolchain */
  }
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  kiln_spec_add_link(spec, "-lm", NULL);
  refuse(*state, spec, "link flag, '-lm'", "nvcc");
}

static void
test_extra_flags(void **state)
{
  struct toolkit *toolkit = *state;
  char plain[65];
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  memcpy(plain, toolkit->key, sizeof plain);
  toolkit->fixture->options.cuda_flags = "--maxrregcount=32  --use_fast_math";
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  assert_string_not_equal(plain, toolkit->key);
  toolkit_assert_log(toolkit, " --maxrregcount=32 --use_fast_math\n", true);
  toolkit->fixture->options.cuda_flags = "--pch";
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_ERROR_ARGUMENT);
}

/* What names the current folder in its output depends on it; what does not, does not. */
static void
test_places(void **state)
{
  struct toolkit *toolkit = *state;
  char here[65], folder[4096];
  assert_non_null(getcwd(folder, sizeof folder));
  for (int lines = 0; lines < 2; lines++) {
    struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
    if (lines)
      assert_int_equal(kiln_spec_add_flag(spec, "-lineinfo", NULL), KILN_OK);
    assert_int_equal(toolkit_build(toolkit, spec, NULL), KILN_OK);
    memcpy(here, toolkit->key, sizeof here);
    assert_int_equal(chdir(toolkit->fixture->folder), 0);
    toolkit_open(toolkit); /* a kiln remembers what it found out about a spec */
    assert_int_equal(toolkit_build_once(toolkit, spec), KILN_OK);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(strcmp(here, toolkit->key) != 0, lines);
  }
}

static void
test_native(void **state)
{
  struct toolkit *toolkit = *state;
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec(NULL, NULL)), KILN_OK);
  toolkit_assert_log(toolkit, "--gpu-architecture=sm_90a", true);
  toolkit->fixture->options.driver = "/nowhere/libcuda.so.1";
  fixture_open(toolkit->fixture);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("native", NULL)), KILN_ERROR_ENVIRONMENT);
  toolkit_assert_error(toolkit, "no CUDA driver", "Name the architecture");
  toolkit->fixture->options.archs = "10.0";
  fixture_open(toolkit->fixture);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec(NULL, NULL)), KILN_OK);
  toolkit_assert_log(toolkit, "--gpu-architecture=sm_100 ", true);
  toolkit->fixture->options.archs = "10.0 9.0";
  fixture_open(toolkit->fixture);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec(NULL, NULL)), KILN_ERROR_ARGUMENT);
  toolkit_assert_error(toolkit, "names 2 architectures", "toolchain nvcc");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {TOOLKIT_TEST(test_sources), TOOLKIT_TEST(test_architectures),
      TOOLKIT_TEST(test_flags), TOOLKIT_TEST(test_extra_flags), TOOLKIT_TEST(test_places), TOOLKIT_TEST(test_native)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
