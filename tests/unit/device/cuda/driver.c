#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cuda/context.h"
#include "unit/device/cuda/fake.h"

static void
test_opened_when_first_asked(void **state)
{
  struct fake *fake = *state;
  assert_int_equal(fake->calls("cuInit"), 0);
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  assert_int_equal(fake->calls("cuInit"), 1);
  assert_int_equal(fake->cuda->version, 13000);
  assert_int_equal(fake->cuda->count, 1);
}

static void *
get_ready(void *context)
{
  return kiln_cuda_ready(context, NULL) == KILN_OK ? context : NULL;
}

static void
test_threads_open_it_once(void **state)
{
  struct fake *fake = *state;
  pthread_t threads[8];
  void *result;
  for (int i = 0; i < 8; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, get_ready, fake->cuda), 0);
  for (int i = 0; i < 8; i++) {
    pthread_join(threads[i], &result);
    assert_ptr_equal(result, fake->cuda);
  }
  assert_int_equal(fake->calls("cuInit"), 1);
}

/* A driver that does not come up: the sentence and the advice. */
static void
assert_no_driver(const char *library, const char *what, const char *remedy)
{
  struct kiln_cuda *cuda;
  struct kiln_error error = {0};
  assert_int_equal(kiln_cuda_new(library, &cuda, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_ready(cuda, &error), KILN_ERROR_ENVIRONMENT);
  if (!strstr(error.what, what) || !strstr(error.remedy, remedy))
    fail_msg("'%s' '%s'", error.what, error.remedy);
  error = (struct kiln_error){0};
  assert_int_equal(kiln_cuda_ready(cuda, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, what)); /* remembered */
  kiln_cuda_free(cuda);
}

static void
test_no_driver(void **state)
{
  (void)state;
  assert_no_driver("/nowhere/libcuda.so.1", "no CUDA driver: cannot open the library '/nowhere/libcuda.so.1'", "'cpu'");
}

static void
test_too_old(void **state)
{
  (void)state;
  setenv("KILN_FAKE_DRIVER", "11020", 1);
  assert_no_driver(FAKE, "is version 11.2", "CUDA 11.8 or later");
  unsetenv("KILN_FAKE_DRIVER");
  assert_no_driver(FAKE_OLD, "is version 13.0 and lacks cuLaunchKernelEx", "CUDA 11.8 or later");
}

static void
test_stub(void **state)
{
  (void)state;
  setenv("KILN_FAKE_FAIL", "cuInit=34", 1);
  assert_no_driver(FAKE, "is a toolkit's stub", "LD_LIBRARY_PATH");
}

static void
test_no_device(void **state)
{
  (void)state;
  setenv("KILN_FAKE_DEVICES", "none", 1);
  assert_no_driver(FAKE, "there is a CUDA driver, but no CUDA device", "nvidia-smi");
  unsetenv("KILN_FAKE_DEVICES");
  setenv("CUDA_VISIBLE_DEVICES", "7", 1);
  assert_no_driver(FAKE, "no CUDA device is visible: CUDA_VISIBLE_DEVICES is '7'", "Unset CUDA_VISIBLE_DEVICES");
}

static void
test_start_fails(void **state)
{
  (void)state;
  setenv("KILN_FAKE_FAIL", "cuInit=803", 1);
  assert_no_driver(FAKE, "cannot start the CUDA driver", "differ in version");
}

/* Runs in the child; its exit status is the status of the library. */
static int
status_in_child(struct kiln_cuda *cuda, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  const pid_t child = fork();
  if (child == 0)
    _exit((int)kiln_cuda_here(cuda, &place, error));
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void
test_fork(void **state)
{
  struct fake *fake = *state;
  assert_int_equal(status_in_child(fake->cuda, NULL), KILN_OK); /* the parent has not used it */
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  assert_int_equal(status_in_child(fake->cuda, NULL), KILN_ERROR_FORKED);
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
}

/* Where the kernel cannot wipe a page, the process number decides. */
static void
test_fork_without_page(void **state)
{
  struct fake *fake = *state;
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  atomic_store(fake->cuda->alive, 0);
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  assert_int_equal(status_in_child(fake->cuda, NULL), KILN_ERROR_FORKED);
}

static void
test_results(void **state)
{
  static const struct {
    int result;
    enum kiln_status status;
    const char *remedy;
  } rows[] = {
      {2, KILN_ERROR_MEMORY, "Free memory"},
      {209, KILN_ERROR_ARCHITECTURE, "architecture"},
      {200, KILN_ERROR_DEVICE, "older than the toolkit"},
      {218, KILN_ERROR_DEVICE, "older than the toolkit"},
      {222, KILN_ERROR_ENVIRONMENT, "newer driver"},
      {500, KILN_ERROR_NOT_FOUND, ""},
      {1, KILN_ERROR_ARGUMENT, ""},
      {700, KILN_ERROR_DEVICE, "compute-sanitizer"},
      {900, KILN_ERROR_CAPTURE, ""},
      {908, KILN_ERROR_CAPTURE, ""},
      {909, KILN_ERROR_DEVICE, ""},
      {12345, KILN_ERROR_DEVICE, ""},
  };
  struct fake *fake = *state;
  struct kiln_error error;
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(kiln_cuda_fail(fake->cuda, rows[i].result, "do", "it", &error), rows[i].status);
    assert_int_equal(error.status, rows[i].status);
    assert_non_null(strstr(error.remedy, rows[i].remedy));
  }
  kiln_cuda_fail(fake->cuda, 209, "load", "a module", &error);
  assert_string_equal(error.what, "cannot load a module: no kernel image is available for execution on the device, "
                                  "CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
  kiln_cuda_fail(fake->cuda, 12345, "load", "a module", &error);
  assert_string_equal(error.what, "cannot load a module: the CUDA driver refuses (12345)");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      FAKE_TEST(test_opened_when_first_asked),
      FAKE_TEST(test_threads_open_it_once),
      FAKE_TEST(test_no_driver),
      FAKE_TEST(test_too_old),
      FAKE_TEST(test_stub),
      FAKE_TEST(test_no_device),
      FAKE_TEST(test_start_fails),
      FAKE_TEST(test_fork),
      FAKE_TEST(test_fork_without_page),
      FAKE_TEST(test_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
