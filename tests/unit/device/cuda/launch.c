#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/graph.h"
#include "device/cuda/launch.h"
#include "os/file.h"
#include "unit/device/cuda/fake.h"
#include "unit/os/scratch.h"

struct loaded_fake {
  struct fake *fake;
  struct kiln_loaded *loaded;
  void *function;
};

static struct loaded_fake
prepare(void **state)
{
  struct loaded_fake all = {.fake = *state};
  struct kiln_found found;
  fake_found(&found, 90, "scale");
  const struct kiln_load load = {.found = &found, .cuda = all.fake->cuda};
  assert_int_equal(kiln_device_cuda.load(&load, &all.loaded, NULL), KILN_OK);
  kiln_buf_release(&found.entry.data);
  all.function = kiln_device_cuda.function(all.loaded, "scale", NULL);
  assert_non_null(all.function);
  return all;
}

/* The last line that the driver wrote about a launch. */
static void
assert_launched(const char *log, const char *line)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  assert_int_equal(kiln_file_read(log, 1 << 20, &text, NULL), KILN_OK);
  if (!strstr(kiln_buf_text(&text), line))
    fail_msg("no line '%s' in:\n%s", line, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
test_plain_and_with_attributes(void **state)
{
  struct loaded_fake all = prepare(state);
  void *scratch = NULL, *arguments[] = {NULL};
  assert_int_equal(scratch_make(&scratch), 0);
  char log[1024];
  snprintf(log, sizeof log, "%s", scratch_path(scratch, "log"));
  setenv("KILN_FAKE_LOG", log, 1);
  struct kiln_launch launch = {.grid = {2, 3, 4}, .block = {32, 2, 1}, .shared_bytes = 64};
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, arguments, NULL), KILN_OK);
  assert_launched(log, "cuLaunchKernel scale 2x3x4 32x2x1 64\n");
  assert_int_equal(all.fake->calls("cuLaunchKernelEx"), 0);
  launch.cluster[0] = 2;
  launch.programmatic = true;
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, arguments, NULL), KILN_OK);
  assert_launched(log, "cuLaunchKernelEx scale 2x3x4 32x2x1 64 cluster 2x1x1 attribute 6 1\n");
  launch = (struct kiln_launch){.grid = {16, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 4, 1}};
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, arguments, NULL), KILN_OK);
  assert_launched(log, "cuFuncSetAttribute 14 1\ncuLaunchKernelEx scale 16x1x1 32x1x1 0 cluster 4x4x1\n");
  launch = (struct kiln_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .cooperative = true};
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, arguments, NULL), KILN_OK);
  assert_launched(log, "cuLaunchKernelEx scale 1x1x1 1x1x1 0 attribute 2 1\n");
  unsetenv("KILN_FAKE_LOG");
  kiln_device_cuda.unload(all.loaded);
  assert_int_equal(scratch_remove(&scratch), 0);
}

static void
test_much_shared_memory(void **state)
{
  struct loaded_fake all = prepare(state);
  struct kiln_error error;
  struct kiln_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 100000};
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, NULL, NULL), KILN_OK);
  assert_int_equal(all.fake->calls("cuFuncSetAttribute"), 1);
  launch.shared_bytes = 300000;
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, NULL, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "cannot take 300000 bytes of shared memory for a block"));
  kiln_device_cuda.unload(all.loaded);
}

static void
test_refused(void **state)
{
  struct loaded_fake all = prepare(state);
  struct kiln_error error;
  const struct kiln_launch launch = {.grid = {1, 1, 1}, .block = {2048, 1, 1}};
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, NULL, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "cannot launch 1x1x1 blocks of 2048x1x1 threads with 0 bytes of shared memory"));
  setenv("KILN_FAKE_FAIL", "cuLaunchKernel=700", 1);
  assert_int_equal(kiln_cuda_launch(all.fake->cuda, all.function, &launch, NULL, &error), KILN_ERROR_DEVICE);
  assert_non_null(strstr(error.remedy, "compute-sanitizer"));
  unsetenv("KILN_FAKE_FAIL");
  kiln_device_cuda.unload(all.loaded);
}

static void
test_captured(void **state)
{
  struct loaded_fake all = prepare(state);
  struct kiln_cuda *cuda = all.fake->cuda;
  void *stream, *graph, *runnable;
  assert_int_equal(kiln_cuda_stream_new(cuda, &stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_capture_begin(cuda, stream, NULL), KILN_OK);
  const struct kiln_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = stream};
  assert_int_equal(kiln_cuda_launch(cuda, all.function, &launch, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_launch(cuda, all.function, &launch, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_capture_end(cuda, stream, &graph, NULL), KILN_OK);
  assert_int_equal(*(int *)graph, 2); /* the fake's graph is the number of its nodes */
  assert_int_equal(kiln_cuda_graph_prepare(cuda, graph, &runnable, NULL), KILN_OK);
  kiln_cuda_graph_free(cuda, graph);
  assert_int_equal(kiln_cuda_graph_run(cuda, runnable, stream, NULL), KILN_OK);
  kiln_cuda_graph_runnable_free(cuda, runnable);
  kiln_cuda_stream_free(cuda, stream);
  kiln_device_cuda.unload(all.loaded);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {FAKE_TEST(test_plain_and_with_attributes), FAKE_TEST(test_much_shared_memory),
      FAKE_TEST(test_refused), FAKE_TEST(test_captured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
