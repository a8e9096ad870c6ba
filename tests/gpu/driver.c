/*
 * Entries of both toolchains on a real GPU, through the driver: loaded from bytes and by path, run and checked; the
 * wrong architecture refused; captures, forks; what a launch costs. driver.sh builds and runs it.
 *
 * usage: driver STORE [--fake]       --fake: on the stand-in driver; results of kernels are not looked at
 *
 * Every line is "ok:" or "FAIL:", or a figure. Exit status 1 when something failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cuda/graph.h"
#include "device/cuda/memory.h"
#include "jit/context.h"
#include "kiln/cache.h"
#include "kiln/device.h"
#include "kiln/launch.h"
#include "os/clock.h"

#define COUNT 1000
#define LAUNCHES 20000
#define BATCH 500

static const char source[] = "extern \"C\" __global__ void scale(float *y, const float *x, float a, int n)\n"
                             "{\n"
                             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n)\n"
                             "    y[i] = a * x[i];\n"
                             "}\n"
                             "extern \"C\" __global__ void nothing(void) {}\n";

struct test {
  struct kiln *kiln;
  struct kiln_cuda *cuda;
  bool fake;
  int failures;
  uint64_t x, y; /* COUNT floats each */
  char own[16];  /* architecture of device 0, with suffix */
};

static bool
holds(struct test *test, bool good, const char *what, const struct kiln_error *error)
{
  printf("%s: %s%s%s\n", good ? "ok" : "FAIL", what, !good && error ? ": " : "", !good && error ? error->what : "");
  test->failures += !good;
  return good;
}

/* ---- specs ---- */

static struct kiln_spec *
spec_of(const char *toolchain, const char *arch)
{
  struct kiln_spec *spec = NULL;
  if (kiln_spec_new("scale", toolchain, &spec, NULL) != KILN_OK ||
      kiln_spec_add_source(spec, "scale.cu", source, sizeof source - 1, NULL) != KILN_OK ||
      kiln_spec_add_arch(spec, arch, NULL) != KILN_OK || kiln_spec_add_entry_point(spec, "scale", NULL) != KILN_OK ||
      kiln_spec_add_entry_point(spec, "nothing", NULL) != KILN_OK)
    abort();
  return spec;
}

/* ---- running ---- */

static bool
results_are_right(struct test *test, float a, struct kiln_error *error)
{
  float y[COUNT];
  bool good = kiln_cuda_memory_read(test->cuda, y, test->y, sizeof y, NULL, error) == KILN_OK &&
              kiln_cuda_synchronize(test->cuda, error) == KILN_OK;
  for (int i = 0; i < COUNT && good && !test->fake; i++)
    good = y[i] == a * (float)i;
  return good;
}

/* One launch of scale with this factor into a stream. */
static enum kiln_status
launch_scale(struct test *test, void *function, float a, void *stream, struct kiln_error *error)
{
  int n = COUNT;
  void *arguments[] = {&test->y, &test->x, &a, &n};
  const struct kiln_launch launch = {.grid = {(COUNT + 255) / 256, 1, 1}, .block = {256, 1, 1}, .stream = stream};
  return kiln_launch(test->kiln, function, &launch, arguments, error);
}

static bool
run_scale(struct test *test, void *function, float a, struct kiln_error *error)
{
  return kiln_cuda_memory_fill(test->cuda, test->y, 0, COUNT * sizeof(float), NULL, error) == KILN_OK &&
         launch_scale(test, function, a, NULL, error) == KILN_OK && results_are_right(test, a, error);
}

static bool
prepare(struct test *test)
{
  struct kiln_error error = {0};
  struct kiln_device_info info;
  float x[COUNT];
  int version = 0;
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)i;
  bool good = kiln_driver_version(test->kiln, &version, &error) == KILN_OK &&
              kiln_device_info(test->kiln, 0, &info, &error) == KILN_OK &&
              kiln_cuda_memory_new(test->cuda, sizeof x, &test->x, &error) == KILN_OK &&
              kiln_cuda_memory_new(test->cuda, sizeof x, &test->y, &error) == KILN_OK &&
              kiln_cuda_memory_write(test->cuda, test->x, x, sizeof x, NULL, &error) == KILN_OK &&
              kiln_cuda_synchronize(test->cuda, &error) == KILN_OK;
  if (holds(test, good, "a device, and memory of it", &error))
    printf("    %s, %s, %u multiprocessors, driver for CUDA %d.%d\n", info.name, info.arch, info.multiprocessors,
        version / 1000, version % 1000 / 10);
  snprintf(test->own, sizeof test->own, "sm_%u%u%s", info.major, info.minor, info.major >= 9 ? "a" : "");
  return good;
}

/* ---- entries ---- */

/* By the file itself: cubin first, manifest and footer behind. */
static void
test_by_path(struct test *test, const char *toolchain, const char *path)
{
  void *module = NULL, *function = NULL;
  struct kiln_error error = {0};
  char what[100];
  snprintf(what, sizeof what, "%s: the entry loads by its path, trailer and all, and runs", toolchain);
  int result = test->cuda->call.module_load(&module, path);
  if (result == 0)
    result = test->cuda->call.module_function(&function, module, "scale");
  if (result != 0)
    kiln_cuda_fail(test->cuda, result, "load", path, &error);
  holds(test, result == 0 && run_scale(test, function, 3, &error), what, &error);
  if (module)
    test->cuda->call.module_unload(module);
}

static void
test_entry(struct test *test, const char *toolchain, const char *arch, bool by_path)
{
  struct kiln_spec *spec = spec_of(toolchain, arch);
  struct kiln_module *module = NULL;
  struct kiln_module_info info = {.result = KILN_RESULT_FAILED};
  struct kiln_error error = {0};
  char what[100];
  const uint64_t begin = kiln_clock_now();
  bool good = kiln_module_load(test->kiln, spec, &module, &error) == KILN_OK;
  const double ms = (double)(kiln_clock_now() - begin) / 1e6;
  if (good) {
    kiln_module_info(module, &info);
    void *function = kiln_module_function(module, "scale", &error);
    good = function && run_scale(test, function, 2, &error);
  }
  snprintf(what, sizeof what, "%s, %s: %s, loads from bytes and runs", toolchain, arch,
      info.result == KILN_RESULT_HIT ? "found" : "built here");
  if (holds(test, good, what, &error))
    printf("    load %.3f ms\n", ms);
  if (good && by_path && info.path)
    test_by_path(test, toolchain, info.path);
  kiln_module_release(module);
  kiln_spec_free(spec);
}

static void
test_wrong_architecture(struct test *test, const char *toolchain, const char *arch)
{
  struct kiln_spec *spec = spec_of(toolchain, arch);
  struct kiln_module *module = NULL;
  struct kiln_error error = {0};
  char what[160];
  const enum kiln_status status = kiln_module_load(test->kiln, spec, &module, &error);
  snprintf(
      what, sizeof what, "%s, %s: refused before the driver is asked (%s)", toolchain, arch, kiln_status_name(status));
  if (holds(test, status == KILN_ERROR_ARCHITECTURE, what, &error))
    printf("    %s. %s\n", error.what, error.remedy);
  kiln_module_release(module);
  kiln_spec_free(spec);
}

/* ---- captures and forks ---- */

static void
test_capture(struct test *test, void *function)
{
  struct kiln_spec *cold = spec_of("nvrtc", "compute_80");
  struct kiln_module *module = NULL;
  struct kiln_error error = {0};
  void *stream = NULL, *graph = NULL, *runnable = NULL;
  bool good = kiln_cuda_stream_new(test->cuda, &stream, &error) == KILN_OK &&
              kiln_cuda_capture_begin(test->cuda, stream, &error) == KILN_OK;
  good = good && kiln_module_load_for(test->kiln, cold, stream, &module, &error) == KILN_ERROR_CAPTURE;
  good = holds(test, good, "a cold kernel in a capture has its own status", &error) &&
         launch_scale(test, function, 5, stream, &error) == KILN_OK &&
         kiln_cuda_capture_end(test->cuda, stream, &graph, &error) == KILN_OK &&
         kiln_cuda_graph_prepare(test->cuda, graph, &runnable, &error) == KILN_OK &&
         kiln_cuda_graph_run(test->cuda, runnable, stream, &error) == KILN_OK &&
         kiln_cuda_stream_wait(test->cuda, stream, &error) == KILN_OK;
  holds(test, good && results_are_right(test, 5, &error), "and the capture stays valid: its graph runs", &error);
  kiln_cuda_graph_runnable_free(test->cuda, runnable);
  kiln_cuda_graph_free(test->cuda, graph);
  kiln_cuda_stream_free(test->cuda, stream);
  kiln_module_release(module);
  kiln_spec_free(cold);
}

static void
test_fork(struct test *test, void *function)
{
  int status = 0;
  const pid_t child = fork();
  if (child == 0)
    _exit(launch_scale(test, function, 1, NULL, NULL) == KILN_ERROR_FORKED ? 0 : 1);
  waitpid(child, &status, 0);
  holds(test, status == 0, "a forked child is told so", NULL);
  struct kiln_error error = {0};
  holds(test, run_scale(test, function, 7, &error), "and its parent goes on", &error);
}

/* ---- costs ---- */

enum way { BARE, KILN, PROGRAMMATIC };

static double
launch_us(struct test *test, void *function, enum way way)
{
  const struct kiln_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .programmatic = way == PROGRAMMATIC};
  uint64_t spent = 0;
  for (int batch = 0; batch < LAUNCHES / BATCH; batch++) {
    const uint64_t begin = kiln_clock_now();
    for (int i = 0; i < BATCH; i++)
      if (way == BARE)
        test->cuda->call.launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
      else
        kiln_launch(test->kiln, function, &launch, NULL, NULL);
    spent += kiln_clock_now() - begin;
    kiln_cuda_synchronize(test->cuda, NULL);
  }
  return (double)spent / LAUNCHES / 1e3;
}

static void
print_costs(struct test *test, void *function)
{
  static const char *const names[] = {"bare cuLaunchKernel", "kiln_launch", "kiln_launch, programmatic"};
  double best[3] = {1e9, 1e9, 1e9};
  for (int round = 0; round < 5; round++)
    for (int way = BARE; way <= PROGRAMMATIC; way++) {
      const double us = launch_us(test, function, (enum way)way);
      best[way] = us < best[way] ? us : best[way];
    }
  for (int way = BARE; way <= PROGRAMMATIC; way++)
    printf("    %-26s %.3f us a launch on the host (least of 5 x %d)\n", names[way], best[way], LAUNCHES);
}

/* ---- all together ---- */

static void
run_all(struct test *test)
{
  struct kiln_error error = {0};
  struct kiln_module *module = NULL;
  if (!prepare(test))
    return;
  test_entry(test, "nvcc", test->own, true);
  test_entry(test, "nvrtc", test->own, true);
  test_entry(test, "nvrtc", "compute_75", false);
  test_wrong_architecture(test, "nvcc", "sm_120a");
  test_wrong_architecture(test, "nvrtc", "sm_120a");
  test_wrong_architecture(test, "nvrtc", "sm_80");
  struct kiln_spec *spec = spec_of("nvrtc", test->own);
  if (kiln_module_load(test->kiln, spec, &module, &error) == KILN_OK) {
    void *function = kiln_module_function(module, "scale", NULL),
         *nothing = kiln_module_function(module, "nothing", NULL);
    test_capture(test, function);
    test_fork(test, function);
    print_costs(test, nothing);
    kiln_module_release(module);
  }
  kiln_spec_free(spec);
  kiln_cuda_memory_free(test->cuda, test->x);
  kiln_cuda_memory_free(test->cuda, test->y);
}

/* What the machine with the GPU has no compiler for. */
static int
build_all(struct test *test)
{
  static const char *const archs[] = {"sm_90a", "sm_80", "sm_100a", "sm_120a", "compute_75"};
  struct kiln_error error = {0};
  enum kiln_result result;
  char key[65];
  double ms;
  for (size_t i = 0; i < 2 * (sizeof archs / sizeof *archs); i++) {
    struct kiln_spec *spec = spec_of(i % 2 ? "nvrtc" : "nvcc", archs[i / 2]);
    const bool good = kiln_cache_build(test->kiln, spec, &result, key, NULL, &ms, &error) == KILN_OK;
    holds(test, good, archs[i / 2], &error);
    kiln_spec_free(spec);
  }
  return test->failures;
}

int
main(int argc, char **argv)
{
  struct test test = {.fake = argc > 2 && strcmp(argv[2], "--fake") == 0};
  struct kiln_options options;
  struct kiln_error error = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: driver STORE [--build | --fake]\n");
    return 2;
  }
  kiln_options_init(&options);
  options.cache_folder = argv[1];
  if (kiln_new(&options, &test.kiln, &error) != KILN_OK) {
    fprintf(stderr, "driver: %s %s\n", error.what, error.remedy);
    return 2;
  }
  test.cuda = test.kiln->cuda;
  if (argc > 2 && strcmp(argv[2], "--build") == 0)
    build_all(&test);
  else
    run_all(&test);
  kiln_free(test.kiln);
  printf("%d failed\n", test.failures);
  return test.failures > 0;
}
