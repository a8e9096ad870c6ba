/* A store and a kiln (unit/jit/fixture.h) with a made-up toolkit whose NVRTC is the stand-in. Include after cmocka.h.
 */
#ifndef KILN_TESTS_UNIT_JIT_NVRTC_TOOLKIT_H
#define KILN_TESTS_UNIT_JIT_NVRTC_TOOLKIT_H

#include "kiln/cache.h"
#include "unit/jit/fixture.h"

#define FAKE KILN_BINARY_DIR "/tests/fake/"

struct toolkit {
  struct fixture *fixture;
  char cuda[128], log[128]; /* the folder; what NVRTC was asked */
  char key[65];             /* of the last build */
  struct kiln_error error;  /* of the last build */
};

static inline void
toolkit_put(const struct toolkit *toolkit, const char *name, const char *text)
{
  char path[300];
  snprintf(path, sizeof path, "%s/%s", toolkit->fixture->folder, name);
  char *slash = strrchr(path, '/');
  *slash = '\0';
  assert_int_equal(kiln_folder_make(path, NULL), KILN_OK);
  *slash = '/';
  assert_int_equal(kiln_file_write(path, text, strlen(text), NULL), KILN_OK);
}

/* NVRTC's library, copied: a toolkit is one folder. */
static inline void
toolkit_put_nvrtc(const struct toolkit *toolkit)
{
  struct kiln_buf bytes;
  char path[300];
  kiln_buf_init(&bytes);
  toolkit_put(toolkit, "cuda/lib64/libnvrtc-builtins.so.13.0", "by heart");
  assert_int_equal(kiln_file_read(FAKE "libnvrtc.so", 64 << 20, &bytes, NULL), KILN_OK);
  snprintf(path, sizeof path, "%s/lib64/libnvrtc.so.13", toolkit->cuda);
  assert_int_equal(kiln_file_write(path, bytes.data, bytes.len, NULL), KILN_OK);
  kiln_buf_release(&bytes);
}

static inline void
toolkit_open(struct toolkit *toolkit)
{
  toolkit->fixture->options.cuda = toolkit->cuda;
  toolkit->fixture->options.driver = FAKE "libcuda.so";
  fixture_open(toolkit->fixture);
}

static inline int
toolkit_set_up(void **state)
{
  static const char *const variables[] = {"KILN_FAKE_NVRTC", "KILN_FAKE_NVRTC_ARCHS", "KILN_FAKE_NVRTC_UNKNOWN",
      "KILN_FAKE_NVRTC_MAKES", "KILN_FAKE_NVRTC_RESULT", "KILN_FAKE_NVRTC_UNTIL", "KILN_FAKE_NVRTC_TEXTS",
      "KILN_FAKE_DEVICES", "KILN_FAKE_FAIL", "KILN_CUDA_FLAGS", "KILN_EVENTS"};
  struct toolkit *toolkit = calloc(1, sizeof *toolkit);
  void *fixture;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    unsetenv(variables[i]);
  fixture_set_up(&fixture);
  toolkit->fixture = fixture;
  snprintf(toolkit->cuda, sizeof toolkit->cuda, "%s/cuda", toolkit->fixture->folder);
  snprintf(toolkit->log, sizeof toolkit->log, "%s/calls", toolkit->fixture->folder);
  setenv("KILN_FAKE_LOG", toolkit->log, 1);
  toolkit_put(toolkit, "cuda/include/cuda_runtime.h", "");
  toolkit_put(toolkit, "cuda/include/cuda.h", "#define CUDA_VERSION 13000\n");
  toolkit_put_nvrtc(toolkit);
  toolkit_open(toolkit);
  *state = toolkit;
  return 0;
}

static inline int
toolkit_tear_down(void **state)
{
  struct toolkit *toolkit = *state;
  void *fixture = toolkit->fixture;
  unsetenv("KILN_FAKE_LOG");
  fixture_tear_down(&fixture);
  free(toolkit);
  return 0;
}

/* A spec with one kernel "k" for sm_90a; text NULL: the plainest source. */
static inline struct kiln_spec *
toolkit_spec(const char *arch, const char *text)
{
  struct kiln_spec *spec;
  text = text ? text : "extern \"C\" __global__ void k(int *p) {}\n";
  assert_int_equal(kiln_spec_new("k", "nvrtc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "k.cu", text, strlen(text), NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(spec, "k", NULL), KILN_OK);
  if (arch)
    assert_int_equal(kiln_spec_add_arch(spec, arch, NULL), KILN_OK);
  return spec;
}

/* Build; the spec stays the caller's. */
static inline enum kiln_status
toolkit_build(struct toolkit *toolkit, const struct kiln_spec *spec, enum kiln_result *result)
{
  enum kiln_result own;
  double ms;
  toolkit->error = (struct kiln_error){0};
  return kiln_cache_build(
      toolkit->fixture->kiln, spec, result ? result : &own, toolkit->key, NULL, &ms, &toolkit->error);
}

/* The same and away with the spec. */
static inline enum kiln_status
toolkit_build_once(struct toolkit *toolkit, struct kiln_spec *spec)
{
  enum kiln_status status = toolkit_build(toolkit, spec, NULL);
  kiln_spec_free(spec);
  return status;
}

static inline void
toolkit_assert_log(const struct toolkit *toolkit, const char *text, bool there)
{
  struct kiln_buf log;
  kiln_buf_init(&log);
  (void)kiln_file_read(toolkit->log, 64 << 20, &log, NULL);
  if ((strstr(kiln_buf_text(&log), text) != NULL) != there)
    fail_msg("%s '%s' in:\n%s", there ? "no" : "there is", text, kiln_buf_text(&log));
  kiln_buf_release(&log);
}

static inline void
toolkit_assert_error(const struct toolkit *toolkit, const char *what, const char *remedy)
{
  if (!strstr(toolkit->error.what, what) || !strstr(toolkit->error.remedy, remedy))
    fail_msg("'%s' '%s'", toolkit->error.what, toolkit->error.remedy);
}

#define TOOLKIT_TEST(name) cmocka_unit_test_setup_teardown(name, toolkit_set_up, toolkit_tear_down)

#endif
