#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "jit/toolchain/nvrtc/nvrtc.h"
#include "unit/jit/toolchain/nvrtc/toolkit.h"

static void
test_cubin_and_ptx(void **state)
{
  static const char *const archs[] = {"sm_90a", "sm_90", "compute_90", "9.0a"};
  struct toolkit *toolkit = *state;
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
    if (toolkit_build_once(toolkit, toolkit_spec(archs[i], NULL)) != KILN_OK)
      fail_msg("%s: %s", archs[i], toolkit->error.what);
  toolkit_assert_log(toolkit, "compile --gpu-architecture=sm_90a --std=c++17 --no-cache --no-source-include\n", true);
  toolkit_assert_log(toolkit, "compile --gpu-architecture=compute_90 ", true);
}

/* PTX is text: its end mark is no part of it. */
static void
test_ptx_without_its_end_mark(void **state)
{
  struct toolkit *toolkit = *state;
  struct kiln_buf entry;
  char path[300];
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("compute_90", NULL)), KILN_OK);
  snprintf(path, sizeof path, "%s/v1/entries/%.2s/%s", toolkit->fixture->cache, toolkit->key, toolkit->key);
  kiln_buf_init(&entry);
  assert_int_equal(kiln_file_read(path, 1 << 20, &entry, NULL), KILN_OK);
  assert_non_null(strstr(kiln_buf_text(&entry), "{ ret; }\n{\"key\""));
  kiln_buf_release(&entry);
}

static void
test_found_the_second_time(void **state)
{
  struct toolkit *toolkit = *state;
  enum kiln_result result;
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  assert_int_equal(toolkit_build(toolkit, spec, &result), KILN_OK);
  assert_int_equal(result, KILN_RESULT_BUILT);
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build(toolkit, spec, &result), KILN_OK);
  assert_int_equal(result, KILN_RESULT_HIT);
  kiln_spec_free(spec);
}

/* Asked before anything is compiled, and with the words for it. */
static void
test_unknown_architecture(void **state)
{
  struct toolkit *toolkit = *state;
  setenv("KILN_FAKE_NVRTC_ARCHS", "80,90", 1);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_103", NULL)), KILN_ERROR_ENVIRONMENT);
  toolkit_assert_error(toolkit, "NVRTC 13.0 in '", "sm_80 sm_90");
  toolkit_assert_error(toolkit, "does not compile for sm_103", "KILN_CUDA");
  toolkit_assert_log(toolkit, "create", false);
}

static void
test_wrong_output_is_refused(void **state)
{
  struct toolkit *toolkit = *state;
  setenv("KILN_FAKE_NVRTC_MAKES", "sm_80", 1);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90a", NULL)), KILN_ERROR_COMMAND);
  toolkit_assert_error(toolkit, "the compiler made code for sm_80 for 'k', which wants sm_90a", "");
  setenv("KILN_FAKE_NVRTC_MAKES", "sm_90", 1);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90a", NULL)), KILN_ERROR_COMMAND);
  unsetenv("KILN_FAKE_NVRTC_MAKES");
  const char other[] = "extern \"C\" __global__ void other() {}";
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90a", other)), KILN_ERROR_COMMAND);
  toolkit_assert_error(toolkit, "does not define its entry point 'k'", "__global__");
}

static void
test_first_error(void **state)
{
  struct toolkit *toolkit = *state;
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", "#error on purpose\n")), KILN_ERROR_COMMAND);
  toolkit_assert_error(
      toolkit, "compiling 'k' failed: k.cu(2): error: #error directive: on purpose", "Correct the source");
  setenv("KILN_FAKE_NVRTC_RESULT", "1", 1);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_ERROR_COMMAND);
  toolkit_assert_error(toolkit, "NVRTC ended with NVRTC_ERROR_OTHER (1) and printed nothing", "Memory is short");
  unsetenv("KILN_FAKE_NVRTC_RESULT");
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK); /* short memory passes */
}

/* An NVRTC that is older than the options. */
static void
test_options_that_it_does_not_know(void **state)
{
  struct toolkit *toolkit = *state;
  setenv("KILN_FAKE_NVRTC_UNKNOWN", "--no-cache", 1);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  toolkit_assert_log(toolkit, "compile --gpu-architecture=sm_90 --std=c++17 --no-source-include\n", true);
  setenv("KILN_FAKE_NVRTC_UNKNOWN", "--nonsense", 1);
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  assert_int_equal(kiln_spec_add_flag(spec, "--nonsense", NULL), KILN_OK);
  assert_int_equal(toolkit_build_once(toolkit, spec), KILN_ERROR_COMMAND);
  toolkit_assert_error(toolkit, "unrecognized option --nonsense", "KILN_CUDA_FLAGS");
}

static enum kiln_status
build_minimal(struct toolkit *toolkit, const char *source)
{
  struct kiln_spec *spec = toolkit_spec("sm_90", source);
  assert_int_equal(kiln_spec_add_flag(spec, "--minimal", NULL), KILN_OK);
  return toolkit_build_once(toolkit, spec);
}

/* NVRTC before 12.4 does not know --minimal; a source that needs what it leaves out is compiled without it. The flag is
 * a field of the key either way. */
static void
test_minimal(void **state)
{
  struct toolkit *toolkit = *state;
  char plain[65];
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  memcpy(plain, toolkit->key, sizeof plain);
  assert_int_equal(build_minimal(toolkit, NULL), KILN_OK);
  assert_string_not_equal(toolkit->key, plain);
  toolkit_assert_log(toolkit, "--no-source-include --minimal\n", true);
  assert_int_equal(build_minimal(toolkit, "extern \"C\" __global__ void k(cudaError_t *) {}"), KILN_OK);
  toolkit_assert_log(toolkit, "--no-source-include --minimal\ncompile --gpu-architecture=sm_90 ", true);
  assert_int_equal(build_minimal(toolkit, "#error on purpose, of cudaError_t\n"), KILN_ERROR_COMMAND);
  toolkit_assert_error(toolkit, "error: #error directive: on purpose", "Correct the source");
  setenv("KILN_FAKE_NVRTC_UNKNOWN", "--minimal", 1);
  assert_int_equal(build_minimal(toolkit, "extern \"C\" __global__ void k(int) {}"), KILN_OK);
  toolkit_assert_log(toolkit, "--no-source-include --minimal refused\ncompile ", true);
}

static void
test_debug(void **state)
{
  struct toolkit *toolkit = *state;
  toolkit->fixture->options.debug = KILN_ON;
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  toolkit_assert_log(toolkit, "--no-source-include --device-debug\n", true);
}

static void
test_no_toolkit(void **state)
{
  struct toolkit *toolkit = *state;
  toolkit->fixture->options.cuda = "none";
  fixture_open(toolkit->fixture);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_ERROR_NOT_FOUND);
  toolkit_put(toolkit, "cuda/lib64/libnvrtc.so.13", "no library");
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_ERROR_ENVIRONMENT);
  toolkit_assert_error(toolkit, "libnvrtc.so.13", "KILN_CUDA");
}

/* Another NVRTC in the same place is another toolchain, and it is the one that compiles. */
static void
test_replaced_while_open(void **state)
{
  struct toolkit *toolkit = *state;
  char first[65];
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  assert_int_equal(toolkit_build(toolkit, spec, NULL), KILN_OK);
  memcpy(first, toolkit->key, sizeof first);
  toolkit_put(toolkit, "cuda/lib64/libnvrtc-builtins.so.13.0", "other things by heart");
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build(toolkit, spec, NULL), KILN_OK);
  assert_string_not_equal(first, toolkit->key);
  toolkit_put_nvrtc(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_80", NULL)), KILN_OK);
  kiln_spec_free(spec);
}

/* ---- at the same time ---- */

struct one_of_many {
  struct toolkit *toolkit;
  struct kiln_spec *spec;
  enum kiln_status status;
  pthread_t thread;
};

static void *
build_one(void *context)
{
  struct one_of_many *one = context;
  enum kiln_result result;
  char key[65];
  double ms;
  one->status = kiln_cache_build(one->toolkit->fixture->kiln, one->spec, &result, key, NULL, &ms, NULL);
  return NULL;
}

static void
test_threads(void **state)
{
  struct one_of_many many[8];
  char text[100];
  for (int i = 0; i < 8; i++) {
    snprintf(text, sizeof text, "extern \"C\" __global__ void k(int *p) {} // %d\n", i);
    many[i] = (struct one_of_many){.toolkit = *state, .spec = toolkit_spec("sm_90", text)};
    assert_int_equal(pthread_create(&many[i].thread, NULL, build_one, &many[i]), 0);
  }
  for (int i = 0; i < 8; i++) {
    pthread_join(many[i].thread, NULL);
    assert_int_equal(many[i].status, KILN_OK);
    kiln_spec_free(many[i].spec);
  }
}

/* The first word that a long compile gives lets it end: without a helper thread it would never come. */
static void
let_it_end(void *context, const struct kiln_build_progress *progress)
{
  (void)context;
  if (strcmp(progress->phase, "compile") == 0)
    (void)kiln_file_write(getenv("KILN_FAKE_NVRTC_UNTIL"), "", 0, NULL);
}

static void
test_a_long_compile_shows_life(void **state)
{
  struct toolkit *toolkit = *state;
  char path[200];
  snprintf(path, sizeof path, "%s/go", toolkit->fixture->folder);
  setenv("KILN_FAKE_NVRTC_UNTIL", path, 1);
  toolkit->fixture->options.progress = let_it_end;
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  assert_true(kiln_file_exists(path));
}

/* A child that is forked while a thread compiles must not wait for NVRTC's locks. */
static void
test_fork_while_compiling(void **state)
{
  struct toolkit *toolkit = *state;
  char path[200];
  struct one_of_many one = {.toolkit = toolkit, .spec = toolkit_spec("sm_90", NULL)};
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_80", NULL)), KILN_OK);
  snprintf(path, sizeof path, "%s/go", toolkit->fixture->folder);
  setenv("KILN_FAKE_NVRTC_UNTIL", path, 1);
  assert_int_equal(pthread_create(&one.thread, NULL, build_one, &one), 0);
  const struct timespec pause = {.tv_nsec = 1000000};
  struct kiln_buf log;
  kiln_buf_init(&log);
  while (!strstr(kiln_buf_text(&log), "--gpu-architecture=sm_90")) {
    nanosleep(&pause, NULL);
    kiln_buf_clear(&log);
    (void)kiln_file_read(toolkit->log, 1 << 20, &log, NULL);
  }
  kiln_buf_release(&log);
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("KILN_FAKE_NVRTC_UNTIL");
    _exit((int)toolkit_build_once(toolkit, toolkit_spec("sm_100", NULL)));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), KILN_ERROR_FORKED);
  assert_int_equal(kiln_file_write(path, "", 0, NULL), KILN_OK);
  pthread_join(one.thread, NULL);
  assert_int_equal(one.status, KILN_OK);
  kiln_spec_free(one.spec);
}

static void
test_phases_in_events(void **state)
{
  struct toolkit *toolkit = *state;
  char command[300];
  setenv("KILN_EVENTS", toolkit->fixture->folder, 1);
  toolkit_open(toolkit);
  assert_int_equal(toolkit_build_once(toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  unsetenv("KILN_EVENTS");
  snprintf(command, sizeof command,
      "grep -q '\"phases\":{\"CUDA C++ Frontend\":12000000,\"PTX Translation\":5000000}' '%s'/*.jsonl",
      toolkit->fixture->folder);
  assert_int_equal(system(command), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TOOLKIT_TEST(test_cubin_and_ptx),
      TOOLKIT_TEST(test_ptx_without_its_end_mark),
      TOOLKIT_TEST(test_found_the_second_time),
      TOOLKIT_TEST(test_unknown_architecture),
      TOOLKIT_TEST(test_wrong_output_is_refused),
      TOOLKIT_TEST(test_first_error),
      TOOLKIT_TEST(test_options_that_it_does_not_know),
      TOOLKIT_TEST(test_minimal),
      TOOLKIT_TEST(test_debug),
      TOOLKIT_TEST(test_no_toolkit),
      TOOLKIT_TEST(test_replaced_while_open),
      TOOLKIT_TEST(test_threads),
      TOOLKIT_TEST(test_a_long_compile_shows_life),
      TOOLKIT_TEST(test_fork_while_compiling),
      TOOLKIT_TEST(test_phases_in_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
