/* The public way from a spec to a launch, on the stand-ins for compiler and driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <sys/wait.h>

#include "device/cuda/stream.h"
#include "kiln/device.h"
#include "kiln/launch.h"
#include "unit/jit/toolchain/nvrtc/toolkit.h"

struct driver {
  struct toolkit *toolkit;
  void *handle;
  unsigned (*calls)(const char *symbol);
  int (*capture_state)(void *stream);
};

static int
set_up(void **state)
{
  struct driver *driver = calloc(1, sizeof *driver);
  void *toolkit, *address;
  void (*reset)(void);
  driver->handle = dlopen(FAKE "libcuda.so", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(driver->handle);
  address = dlsym(driver->handle, "kiln_fake_calls");
  memcpy(&driver->calls, &address, sizeof address);
  address = dlsym(driver->handle, "kiln_fake_capture_state");
  memcpy(&driver->capture_state, &address, sizeof address);
  address = dlsym(driver->handle, "kiln_fake_reset");
  memcpy(&reset, &address, sizeof address);
  reset();
  toolkit_set_up(&toolkit);
  driver->toolkit = toolkit;
  *state = driver;
  return 0;
}

static int
tear_down(void **state)
{
  struct driver *driver = *state;
  void *toolkit = driver->toolkit;
  toolkit_tear_down(&toolkit);
  dlclose(driver->handle);
  free(driver);
  return 0;
}

static struct kiln *
kiln_of(const struct driver *driver)
{
  return driver->toolkit->fixture->kiln;
}

static void
test_devices(void **state)
{
  struct driver *driver = *state;
  struct kiln_device_info info;
  struct kiln_error error;
  int count, version;
  setenv("KILN_FAKE_DEVICES", "9.0,12.0", 1);
  assert_int_equal(kiln_device_count(kiln_of(driver), &count, NULL), KILN_OK);
  assert_int_equal(count, 2);
  assert_int_equal(kiln_driver_version(kiln_of(driver), &version, NULL), KILN_OK);
  assert_int_equal(version, 13000);
  assert_int_equal(kiln_device_info(kiln_of(driver), 1, &info, NULL), KILN_OK);
  assert_string_equal(info.arch, "sm_120");
  assert_string_equal(info.name, "Fake GPU 12.0");
  assert_int_equal(info.shared_bytes_per_block_most, 232448);
  assert_int_equal(kiln_device_info(kiln_of(driver), 2, &info, &error), KILN_ERROR_ARGUMENT);
  assert_int_equal(driver->calls("cuDevicePrimaryCtxRetain"), 0);
  assert_int_equal(kiln_device_use(kiln_of(driver), 1, NULL), KILN_OK);
  assert_int_equal(driver->calls("cuDevicePrimaryCtxRetain"), 1);
}

/* Making a kiln touches no GPU, nor does building for a named architecture. */
static void
test_nothing_is_asked_too_early(void **state)
{
  struct driver *driver = *state;
  assert_int_equal(toolkit_build_once(driver->toolkit, toolkit_spec("sm_90", NULL)), KILN_OK);
  assert_int_equal(driver->calls("cuInit"), 0);
}

static void
test_from_spec_to_launch(void **state)
{
  struct driver *driver = *state;
  struct kiln_error error = {0};
  struct kiln_module *module;
  struct kiln_module_info info;
  struct kiln_spec *spec = toolkit_spec(NULL, NULL);
  for (int round = 0; round < 2; round++) {
    if (kiln_module_load(kiln_of(driver), spec, &module, &error) != KILN_OK)
      fail_msg("%s", error.what);
    kiln_module_info(module, &info);
    assert_int_equal(info.result, KILN_RESULT_BUILT);
    void *function = kiln_module_function(module, "k", &error);
    assert_non_null(function);
    int number = 0;
    void *parameter = &number, *arguments[] = {&parameter};
    struct kiln_launch launch = {.grid = {4, 1, 1}, .block = {128, 1, 1}};
    assert_int_equal(kiln_launch(kiln_of(driver), function, &launch, arguments, &error), KILN_OK);
    launch.block[1] = 0;
    assert_int_equal(kiln_launch(kiln_of(driver), function, &launch, arguments, &error), KILN_ERROR_ARGUMENT);
    assert_string_equal(error.what, "a launch with 0 threads in y");
    assert_null(kiln_module_function(module, "other", &error));
    assert_int_equal(error.status, KILN_ERROR_NOT_FOUND);
    kiln_module_release(module);
  }
  kiln_spec_free(spec);
  assert_int_equal(driver->calls("cuLaunchKernel"), 2);
  assert_int_equal(driver->calls("cuModuleLoadData"), 1);
}

/* Found on disk, for a machine with another device: refused in words, and the driver is not asked to load it. */
static void
test_wrong_architecture(void **state)
{
  static const struct {
    const char *arch, *what;
  } rows[] = {
      {"sm_80", "'k' is compiled for sm_80, and device 0, Fake GPU 9.0, is sm_90"},
      {"sm_100", "'k' is compiled for sm_100, and device 0"},
      {"compute_100", "'k' is compiled for compute_100, and device 0"},
  };
  struct driver *driver = *state;
  struct kiln_error error;
  struct kiln_module *module;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct kiln_spec *spec = toolkit_spec(rows[i].arch, NULL);
    assert_int_equal(kiln_module_load(kiln_of(driver), spec, &module, &error), KILN_ERROR_ARCHITECTURE);
    if (!strstr(error.what, rows[i].what))
      fail_msg("%s", error.what);
    assert_non_null(strstr(error.remedy, "sm_90"));
    kiln_spec_free(spec);
  }
  struct kiln_spec *ptx = toolkit_spec("compute_90", NULL); /* the driver compiles it */
  assert_int_equal(driver->calls("cuModuleLoadData"), 0);
  assert_int_equal(kiln_module_load(kiln_of(driver), ptx, &module, &error), KILN_OK);
  kiln_module_release(module);
  kiln_spec_free(ptx);
}

/* A cold kernel in a capture: its own status, nothing built, nothing loaded, and the capture goes on. */
static void
test_cold_in_a_capture(void **state)
{
  struct driver *driver = *state;
  struct kiln_cuda *cuda = kiln_of(driver)->cuda;
  struct kiln_error error;
  struct kiln_module *module, *again;
  void *stream, *graph;
  bool captured;
  struct kiln_spec *warm = toolkit_spec("sm_90", NULL);
  struct kiln_spec *cold = toolkit_spec("sm_90", "extern \"C\" __global__ void k(int *p) {} // cold\n");
  assert_int_equal(kiln_cuda_stream_new(cuda, &stream, NULL), KILN_OK);
  assert_int_equal(kiln_module_load_for(kiln_of(driver), warm, stream, &module, &error), KILN_OK);
  assert_int_equal(cuda->call.capture_begin(stream, KILN_CU_CAPTURE_GLOBAL), 0);
  assert_int_equal(kiln_stream_captured(kiln_of(driver), stream, &captured, NULL), KILN_OK);
  assert_true(captured);
  const unsigned loads = driver->calls("cuModuleLoadData");
  assert_int_equal(kiln_module_load_for(kiln_of(driver), cold, stream, &again, &error), KILN_ERROR_CAPTURE);
  assert_null(again);
  assert_non_null(strstr(error.what, "'k' is not loaded yet"));
  assert_non_null(strstr(error.remedy, "before the capture begins"));
  assert_int_equal(driver->calls("cuModuleLoadData"), loads);
  toolkit_assert_log(driver->toolkit, "// cold", false);
  assert_int_equal(kiln_module_load_for(kiln_of(driver), warm, stream, &again, &error), KILN_OK);
  assert_ptr_equal(again, module);
  const struct kiln_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = stream};
  assert_int_equal(
      kiln_launch(kiln_of(driver), kiln_module_function(again, "k", NULL), &launch, NULL, &error), KILN_OK);
  assert_int_equal(driver->capture_state(stream), KILN_CU_CAPTURING);
  assert_int_equal(kiln_cuda_capture_end(cuda, stream, &graph, NULL), KILN_OK);
  assert_int_equal(kiln_module_load_for(kiln_of(driver), cold, stream, &again, &error), KILN_OK);
  cuda->call.graph_destroy(graph);
  kiln_module_release(module);
  kiln_module_release(module); /* the second time it was given */
  kiln_module_release(again);
  kiln_cuda_stream_free(cuda, stream);
  kiln_spec_free(warm);
  kiln_spec_free(cold);
}

/* Loaded, but in another context: there it would have to be loaded now. */
static void
test_cold_in_this_context(void **state)
{
  struct driver *driver = *state;
  struct kiln_error error;
  struct kiln_module *module, *again;
  void *stream;
  setenv("KILN_FAKE_DEVICES", "9.0,9.0", 1);
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  assert_int_equal(kiln_module_load(kiln_of(driver), spec, &module, NULL), KILN_OK);
  assert_int_equal(kiln_device_use(kiln_of(driver), 1, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_stream_new(kiln_of(driver)->cuda, &stream, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_capture_begin(kiln_of(driver)->cuda, stream, NULL), KILN_OK);
  assert_int_equal(kiln_module_load_for(kiln_of(driver), spec, stream, &again, &error), KILN_ERROR_CAPTURE);
  assert_int_equal(driver->calls("cuModuleLoadData"), 1);
  assert_int_equal(driver->capture_state(stream), KILN_CU_CAPTURING);
  kiln_module_release(module);
  kiln_cuda_stream_free(kiln_of(driver)->cuda, stream);
  kiln_spec_free(spec);
}

static void
test_after_a_fork(void **state)
{
  struct driver *driver = *state;
  struct kiln_module *module;
  struct kiln_spec *spec = toolkit_spec("sm_90", NULL);
  assert_int_equal(kiln_module_load(kiln_of(driver), spec, &module, NULL), KILN_OK);
  const pid_t child = fork();
  if (child == 0) {
    struct kiln_error error = {0};
    const struct kiln_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    const bool refused = !kiln_module_function(module, "k", &error) && error.status == KILN_ERROR_FORKED &&
                         kiln_launch(kiln_of(driver), &module, &launch, NULL, NULL) == KILN_ERROR_FORKED;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_non_null(kiln_module_function(module, "k", NULL));
  kiln_module_release(module);
  kiln_spec_free(spec);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_devices), TEST(test_nothing_is_asked_too_early),
      TEST(test_from_spec_to_launch), TEST(test_wrong_architecture), TEST(test_cold_in_a_capture),
      TEST(test_cold_in_this_context), TEST(test_after_a_fork)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
