/* GPU payloads as three toolkits made them, and damaged ones. The files are the fuzzer's corpus too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jit/cubin.h"
#include "os/file.h"

#define CORPUS KILN_SOURCE_DIR "/tests/fuzz/corpus/gpu_binary/"
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void
load(const char *name, struct kiln_buf *data)
{
  char path[4096];
  snprintf(path, sizeof path, CORPUS "%s", name);
  kiln_buf_init(data);
  assert_int_equal(kiln_file_read(path, (size_t)1 << 20, data, NULL), KILN_OK);
}

static const struct {
  const char *name;
  enum kiln_gpu_kind kind;
  const char *archs;
  size_t images, compressed;
} good[] = {
    {"cubin-sm_90", KILN_GPU_CUBIN, "sm_90", 1, 0},
    {"cubin-sm_90a", KILN_GPU_CUBIN, "sm_90a", 1, 0},
    {"cubin-sm_100f", KILN_GPU_CUBIN, "sm_100f", 1, 0},
    {"cubin-new-sm_100a", KILN_GPU_CUBIN, "sm_100a", 1, 0},
    {"cubin-old-sm_80", KILN_GPU_CUBIN, "sm_80", 1, 0},
    {"cubin-old-sm_90a", KILN_GPU_CUBIN, "sm_90a", 1, 0},
    {"cubin-trailer", KILN_GPU_CUBIN, "sm_90a", 1, 0},
    {"cubin-no-sections", KILN_GPU_CUBIN, "sm_90", 1, 0},
    {"cubin-note-other", KILN_GPU_CUBIN, "sm_90", 1, 0},
    {"fatbin-plain", KILN_GPU_FATBIN, "sm_90a sm_100f compute_75", 3, 0},
    {"fatbin-one", KILN_GPU_FATBIN, "sm_90a", 1, 0},
    {"fatbin-unknown-kind", KILN_GPU_FATBIN, "sm_100f compute_75", 3, 0},
    {"fatbin-compressed", KILN_GPU_FATBIN, "sm_90a sm_100f compute_75", 3, 3},
    {"ptx-90a", KILN_GPU_PTX, "compute_90a", 1, 0},
    {"ptx-trailer", KILN_GPU_PTX, "compute_90a", 1, 0},
};

static void
test_good(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    struct kiln_gpu_binary binary;
    struct kiln_buf data;
    char text[200];
    load(good[i].name, &data);
    assert_true(kiln_gpu_read(data.data, data.len, &binary));
    assert_int_equal(binary.kind, good[i].kind);
    assert_string_equal(kiln_arch_list_text(&binary.archs, text, sizeof text), good[i].archs);
    assert_int_equal(binary.images, good[i].images);
    assert_int_equal(binary.compressed, good[i].compressed);
    kiln_buf_release(&data);
  }
}

static void
test_damaged(void **state)
{
  static const char *const names[] = {"empty", "text", "fatbin-cut", "fatbin-header-only", "fatbin-length-max",
      "fatbin-image-length-max", "fatbin-image-header-zero", "fatbin-image-wrong-number", "fatbin-no-images",
      "cubin-number-zero", "cubin-number-max", "ptx-no-target", "ptx-nul-first", "ptx-target-at-end"};
  (void)state;
  for (size_t i = 0; i < COUNT(names); i++) {
    struct kiln_gpu_binary binary;
    struct kiln_buf data;
    load(names[i], &data);
    assert_false(kiln_gpu_read(data.data, data.len, &binary));
    assert_int_equal(binary.kind, KILN_GPU_OTHER);
    assert_false(kiln_gpu_defines(data.data, data.len, "scale"));
    kiln_buf_release(&data);
  }
}

static const struct {
  const char *name, *symbol;
  bool defined;
} kernels[] = {
    {"cubin-sm_90a", "scale", true},
    {"cubin-sm_90a", "scal", false},
    {"cubin-sm_90a", "scales", false},
    {"cubin-sm_90a", "", false},
    {"cubin-old-sm_80", "scale", true},
    {"cubin-two-kernels", "scale", true},
    {"cubin-two-kernels", "other", true},
    {"cubin-two-kernels", "helper", false}, /* a device function */
    {"cubin-two-kernels", "table", false},  /* a variable */
    {"cubin-sections-far", "scale", false},
    {"fatbin-plain", "scale", true},
    {"fatbin-plain", "scales", false},
    {"fatbin-compressed", "anything", true}, /* cannot be read */
    {"fatbin-unknown-kind", "scale", true},  /* of one image nothing is known, the others have it */
    {"fatbin-unknown-kind", "scales", false},
    {"ptx-90a", "scale", true},
    {"ptx-90a", "scal", false},
    {"ptx-trailer", "ghost", false}, /* behind the end of the text */
    {"ptx-entry-at-end", "scale", false},
};

static void
test_kernels(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(kernels); i++) {
    struct kiln_buf data;
    load(kernels[i].name, &data);
    assert_int_equal(kiln_gpu_defines(data.data, data.len, kernels[i].symbol), kernels[i].defined);
    kiln_buf_release(&data);
  }
}

/* Every beginning of a fatbin, and every byte of its headers changed: no answer, or one of the same form. */
static void
test_cut_and_flipped(void **state)
{
  struct kiln_gpu_binary binary;
  struct kiln_buf data;
  (void)state;
  load("fatbin-plain", &data);
  for (size_t len = 0; len < data.len; len++)
    assert_false(kiln_gpu_read(data.data, len, &binary));
  for (size_t at = 0; at < data.len; at += at < 200 ? 1 : 97) {
    data.data[at] = (char)~data.data[at];
    if (kiln_gpu_read(data.data, data.len, &binary))
      assert_in_range(binary.archs.count, 1, 3);
    data.data[at] = (char)~data.data[at];
  }
  kiln_buf_release(&data);
}

static void
test_names(void **state)
{
  (void)state;
  assert_string_equal(kiln_gpu_kind_name(KILN_GPU_CUBIN), "cubin");
  assert_string_equal(kiln_gpu_kind_name(KILN_GPU_PTX), "PTX");
  assert_string_equal(kiln_gpu_kind_name(KILN_GPU_OTHER), "something else");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_cut_and_flipped),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
