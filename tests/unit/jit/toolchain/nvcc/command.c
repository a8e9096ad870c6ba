/* The words of a command, by the architectures that are wanted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit/toolchain/nvcc/nvcc.h"
#include "unit/jit/fixture.h"

static const char *const paths[] = {"/b/src/scale.cu", "/b/src/tile.cuh", NULL};
static const char *const roots[] = {"/i nc", "/the sources", ""};

static struct kiln_spec *
make_spec(void)
{
  struct kiln_spec *spec;
  assert_int_equal(kiln_spec_new("scale", "nvcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "scale.cu", "", 0, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "tile.cuh", "", 0, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_include(spec, "/i nc", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_define(spec, "N=4", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_flag(spec, "--use_fast_math", NULL), KILN_OK);
  return spec;
}

static void
expect(const char *archs, const char *launcher, const char *flags, const char *expected)
{
  struct kiln_options options;
  struct kiln *kiln;
  struct kiln_words words = {0};
  struct kiln_nvcc_programs programs;
  struct kiln_arch_list targets = {.count = 0};
  struct kiln_buf text;
  kiln_options_init(&options);
  options.cache_folder = "/nowhere/cache";
  options.cuda_flags = flags;
  assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_OK);
  assert_int_equal(kiln_arch_list_parse(&targets, archs, NULL), KILN_OK);
  struct kiln_spec *spec = make_spec();
  kiln_nvcc_programs_init(&programs);
  kiln_buf_text_append(&programs.toolkit.nvcc, "/cuda/bin/nvcc");
  kiln_buf_text_append(&programs.host, "/usr/bin/cc");
  kiln_buf_text_append(&programs.launcher, launcher);
  const struct kiln_build_input input = {
      .spec = spec, .folder = "/b", .source_paths = paths, .roots = roots, .root_count = 3};
  const struct kiln_nvcc_job job = {.input = &input, .programs = &programs, .targets = &targets, .source = 0};
  kiln_nvcc_words(kiln, &job, &words);
  kiln_buf_init(&text);
  for (size_t i = 0; i < words.count; i++)
    kiln_buf_printf(&text, "%s%s", i > 0 ? "|" : "", words.items[i]);
  assert_string_equal(kiln_buf_text(&text), expected);
  kiln_buf_release(&text);
  kiln_words_release(&words);
  kiln_nvcc_programs_release(&programs);
  kiln_spec_free(spec);
  kiln_free(kiln);
}

#define MIDDLE "|-O3|-no-compress|-DN=4|-I/i nc|-Xcompiler=-iquote|-Xcompiler='/the sources'|--use_fast_math"
#define DEPENDENCIES "|-MD|-MT=kiln|-MF=/b/0.d|-o|"

static void
test_kinds(void **state)
{
  (void)state;
  expect("9.0a", "", NULL,
      "/cuda/bin/nvcc|-ccbin=/usr/bin/cc|-cubin|-gencode=arch=compute_90a,code=sm_90a" MIDDLE DEPENDENCIES
      "/b/out.cubin|/b/src/scale.cu");
  expect("compute_90", "", NULL,
      "/cuda/bin/nvcc|-ccbin=/usr/bin/cc|-ptx|-gencode=arch=compute_90,code=compute_90" MIDDLE DEPENDENCIES
      "/b/out.ptx|/b/src/scale.cu");
  expect("8.0+PTX 12.0f", "", NULL,
      "/cuda/bin/nvcc|-ccbin=/usr/bin/cc|-fatbin|-gencode=arch=compute_80,code=sm_80|-gencode=arch=compute_120f,code="
      "sm_120f|-gencode=arch=compute_80,code=compute_80|--threads=3" MIDDLE DEPENDENCIES
      "/b/out.fatbin|/b/src/scale.cu");
}

static void
test_overrides(void **state)
{
  (void)state;
  expect("9.0a", "/usr/bin/ccache", "-lineinfo  -Xptxas=-v",
      "/usr/bin/ccache|/cuda/bin/nvcc|-ccbin=/usr/bin/cc|-cubin|-gencode=arch=compute_90a,code=sm_90a" MIDDLE
      "|-lineinfo|-Xptxas=-v" DEPENDENCIES "/b/out.cubin|/b/src/scale.cu");
}

static void
test_threads(void **state)
{
  struct kiln_arch_list targets = {.count = 0};
  (void)state;
  assert_int_equal(kiln_arch_list_parse(&targets, "9.0a", NULL), KILN_OK);
  assert_int_equal(kiln_nvcc_thread_count(&targets), 1);
  assert_int_equal(kiln_arch_list_parse(&targets, "8.0 8.6 8.9 10.0 12.0", NULL), KILN_OK);
  assert_int_equal(kiln_nvcc_thread_count(&targets), 4);
}

/* What asks for line information, in a flag of the spec or of the caller, or by a debug build. */
static void
test_lines(void **state)
{
  static const struct {
    const char *flag, *extra;
    enum kiln_switch debug;
    bool lines;
  } rows[] = {{"-O2", "-O1 -lineinfos", KILN_OFF, false}, {"-lineinfo", NULL, KILN_OFF, true},
      {"--generate-line-info", NULL, KILN_OFF, true}, {"-G", NULL, KILN_OFF, true},
      {"--device-debug", NULL, KILN_OFF, true}, {"-O2", "-O1 -lineinfo", KILN_OFF, true}, {"-O2", NULL, KILN_ON, true}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct kiln_options options;
    struct kiln *kiln;
    struct kiln_spec *spec;
    kiln_options_init(&options);
    options.cache_folder = "/nowhere/cache";
    options.cuda_flags = rows[i].extra;
    options.debug = rows[i].debug;
    assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_OK);
    assert_int_equal(kiln_spec_new("scale", "nvcc", &spec, NULL), KILN_OK);
    assert_int_equal(kiln_spec_add_flag(spec, rows[i].flag, NULL), KILN_OK);
    assert_int_equal(kiln_nvcc_has_lines(kiln, spec), rows[i].lines);
    kiln_spec_free(spec);
    kiln_free(kiln);
  }
}

static void
test_harmless(void **state)
{
  static const char *const bad[] = {"a\"b", "a'b", "a`b", "a$b", "a\\b", "a,b", "a\nb", NULL};
  (void)state;
  assert_true(kiln_nvcc_is_harmless("/a folder (1)/x+y=z;&|<>*?[]{}!#~@%ü"));
  for (size_t i = 0; bad[i]; i++)
    assert_false(kiln_nvcc_is_harmless(bad[i]));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_overrides),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_lines), cmocka_unit_test(test_harmless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
