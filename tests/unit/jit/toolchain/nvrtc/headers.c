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

#define KERNEL "extern \"C\" __global__ void k(int *p) {}\n"

static struct kiln_spec *
spec_with_folders(struct toolkit *toolkit, const char *text, const char *one, const char *two)
{
  char path[300];
  struct kiln_spec *spec = toolkit_spec("sm_90", text);
  const char *const folders[] = {one, two};
  for (size_t i = 0; i < 2 && folders[i]; i++) {
    snprintf(path, sizeof path, "%s/%s", toolkit->fixture->folder, folders[i]);
    assert_int_equal(kiln_folder_make(path, NULL), KILN_OK);
    assert_int_equal(kiln_spec_add_include(spec, path, NULL), KILN_OK);
  }
  setenv("KILN_FAKE_NVRTC_TEXTS", "1", 1);
  return spec;
}

/* Names are those below their folders, and the lines that lead there say so. */
static void
test_names(void **state)
{
  struct toolkit *toolkit = *state;
  toolkit_put(toolkit, "one/sub/tile.h", "#pragma once\n#include \"../base.h\"\n#include \"near.h\"\n");
  toolkit_put(toolkit, "one/sub/near.h", "// near\n");
  toolkit_put(toolkit, "one/base.h", "// base\n");
  toolkit_put(toolkit, "cuda/include/toolkit.h", "// of the toolkit\n");
  toolkit_put(toolkit, "cuda/include/cccl/nv/target", "// cccl\n");
  struct kiln_spec *spec = spec_with_folders(toolkit,
      "#include <sub/tile.h>\n#include \"sub/./near.h\"\n#include <toolkit.h>\n#include <nv/target>\n"
      "#include <nowhere.h>\n" KERNEL,
      "one", NULL);
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_OK);
  toolkit_assert_log(
      toolkit, "create k.cu <sub/tile.h>=[#pragma once\n#include \"base.h\"\n#include \"sub/near.h\"\n]", true);
  toolkit_assert_log(toolkit,
      "source=[#include <sub/tile.h>\n#include \"sub/near.h\"\n#include <toolkit.h>\n"
      "#include <nv/target>\n#include <nowhere.h>\n" KERNEL "]",
      true);
  toolkit_assert_log(toolkit, "<base.h>=[// base\n]", true);
  toolkit_assert_log(toolkit, toolkit->fixture->folder, false); /* no place of this machine */
}

/* The order: beside the one that includes, texts of the spec, folders in order, the toolkit. */
static void
test_order(void **state)
{
  struct toolkit *toolkit = *state;
  toolkit_put(toolkit, "one/a.h", "// one a\n#include_next <a.h>\n#include <text.h>\n");
  toolkit_put(toolkit, "two/a.h", "// two a\n");
  toolkit_put(toolkit, "two/text.h", "// two text\n");
  toolkit_put(toolkit, "cuda/include/a.h", "// toolkit a\n");
  struct kiln_spec *spec = spec_with_folders(toolkit, "#include <a.h>\n#include \"sub/b.h\"\n" KERNEL, "one", "two");
  assert_int_equal(kiln_spec_add_source(spec, "text.h", "// text of the spec\n", 20, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "sub/b.h", "#include \"c.h\"\n", 15, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "sub/c.h", "// beside b\n", 12, NULL), KILN_OK);
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_OK);
  toolkit_assert_log(toolkit, "<a.h>=[// one a\n#include      <2/a.h>\n#include <text.h>\n]", true);
  toolkit_assert_log(toolkit, "<2/a.h>=[// two a\n]", true);
  toolkit_assert_log(toolkit, "two text", false);
  toolkit_assert_log(toolkit, "toolkit a", false);
  toolkit_assert_log(toolkit, "<sub/b.h>=[#include \"sub/c.h\"\n]", true);
}

/* One file is one text, whatever it is called: "#pragma once" goes by names. */
static void
test_one_file_one_text(void **state)
{
  struct toolkit *toolkit = *state;
  char from[300], to[300];
  toolkit_put(toolkit, "one/real.h", "#pragma once\n");
  snprintf(from, sizeof from, "%s/one/real.h", toolkit->fixture->folder);
  snprintf(to, sizeof to, "%s/one/link.h", toolkit->fixture->folder);
  assert_int_equal(symlink(from, to), 0);
  struct kiln_spec *spec = spec_with_folders(
      toolkit, "#include <real.h>\n#include <link.h>\n#include \"../one/real.h\"\n" KERNEL, "one", NULL);
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_OK);
  toolkit_assert_log(toolkit, "source=[#include <real.h>\n#include <real.h>\n", true);
  toolkit_assert_log(toolkit, "<link.h>", false);
}

static void
test_names_by_macros(void **state)
{
  struct toolkit *toolkit = *state;
  toolkit_put(toolkit, "one/by/define.h", "// by define\n");
  toolkit_put(toolkit, "one/by/flag.h", "// by flag\n");
  toolkit_put(toolkit, "one/sys/cuda/part.h", "// by parts\n");
  toolkit_put(toolkit, "one/sys/omp/part.h", "// by other parts\n");
  struct kiln_spec *spec = spec_with_folders(toolkit,
      "#define A \"by/define.h\"\n#include A\n#include B\n#define KIND cuda\n#if 0\n#define KIND omp\n#endif\n"
      "#define ROOT sys/KIND\n#define C <ROOT/part.h>\n#include C\n" KERNEL,
      "one", NULL);
  assert_int_equal(kiln_spec_add_define(spec, "B=\"by/flag.h\"", NULL), KILN_OK);
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_OK);
  toolkit_assert_log(toolkit, "<by/define.h>=[// by define\n]", true);
  toolkit_assert_log(toolkit, "<by/flag.h>=[// by flag\n]", true);
  toolkit_assert_log(toolkit, "<sys/cuda/part.h>=[// by parts\n]", true);
  toolkit_assert_log(toolkit, "<sys/omp/part.h>=[// by other parts\n]", true);
}

/* A header that changes, and one that appears in front of another, give another entry. */
static void
test_dependencies(void **state)
{
  struct toolkit *toolkit = *state;
  char first[65], second[65];
  enum kiln_result result;
  toolkit_put(toolkit, "two/a.h", "// two a\n");
  struct kiln_spec *spec = spec_with_folders(toolkit, "#include <a.h>\n" KERNEL, "one", "two");
  /* What was written just now is not kept, as nobody knows which content was seen. */
  assert_int_equal(toolkit_build(toolkit, spec, NULL), KILN_OK);
  memcpy(first, toolkit->key, sizeof first);
  assert_int_equal(toolkit_build(toolkit, spec, &result), KILN_OK);
  assert_string_equal(first, toolkit->key);
  assert_int_equal(result, KILN_RESULT_HIT);
  toolkit_put(toolkit, "two/a.h", "// two A, changed\n");
  assert_int_equal(toolkit_build(toolkit, spec, NULL), KILN_OK);
  assert_string_not_equal(first, toolkit->key);
  memcpy(second, toolkit->key, sizeof second);
  toolkit_put(toolkit, "one/a.h", "// one a\n");
  assert_int_equal(toolkit_build(toolkit, spec, NULL), KILN_OK);
  assert_string_not_equal(second, toolkit->key);
  toolkit_assert_log(toolkit, "<a.h>=[// one a\n]", true);
  kiln_spec_free(spec);
}

static void
test_place_does_not_matter(void **state)
{
  struct toolkit *toolkit = *state;
  char first[65];
  toolkit_put(toolkit, "one/a.h", "// a\n");
  toolkit_put(toolkit, "other/place/a.h", "// a\n");
  assert_int_equal(
      toolkit_build_once(toolkit, spec_with_folders(toolkit, "#include <a.h>\n" KERNEL, "one", NULL)), KILN_OK);
  memcpy(first, toolkit->key, sizeof first);
  assert_int_equal(
      toolkit_build_once(toolkit, spec_with_folders(toolkit, "#include <a.h>\n" KERNEL, "other/place", NULL)), KILN_OK);
  assert_string_equal(first, toolkit->key);
}

static void
test_zero_bytes(void **state)
{
  static const char text[] = "extern \"C\" __global__ void k() {}\n\0 more\n";
  struct toolkit *toolkit = *state;
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  assert_int_equal(kiln_spec_add_source(spec, "zero.h", text, sizeof text - 1, NULL), KILN_OK);
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_ERROR_ARGUMENT);
  toolkit_assert_error(toolkit, "'zero.h' has a zero byte", "plain text");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {TOOLKIT_TEST(test_names), TOOLKIT_TEST(test_order),
      TOOLKIT_TEST(test_one_file_one_text), TOOLKIT_TEST(test_names_by_macros), TOOLKIT_TEST(test_dependencies),
      TOOLKIT_TEST(test_place_does_not_matter), TOOLKIT_TEST(test_zero_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
