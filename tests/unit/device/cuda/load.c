#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "device/cuda/context.h"
#include "device/cuda/stream.h"
#include "unit/device/cuda/fake.h"

static const struct kiln_device_ops *const cuda = &kiln_device_cuda;

/* A load of one image with entry point "scale". */
static enum kiln_status
load(struct fake *fake, unsigned sm, const char *functions, struct kiln_loaded **loaded, struct kiln_error *error)
{
  struct kiln_found found;
  fake_found(&found, sm, functions);
  const struct kiln_load load = {
      .found = &found, .cuda = fake->cuda, .entry_points = (const char *const[]){"scale"}, .entry_point_count = 1};
  enum kiln_status status = cuda->load(&load, loaded, error);
  memset(found.entry.data.data, 0, found.entry.data.len); /* nothing may be left to be read there */
  kiln_buf_release(&found.entry.data);
  return status;
}

static void
test_load_and_find(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  struct kiln_error error;
  assert_int_equal(load(fake, 90, "scale other", &loaded, &error), KILN_OK);
  void *function = cuda->function(loaded, "scale", &error);
  assert_non_null(function);
  assert_ptr_equal(cuda->function(loaded, "scale", &error), function);
  assert_non_null(cuda->function(loaded, "other", &error));
  assert_null(cuda->function(loaded, "nobody", &error));
  assert_int_equal(error.status, KILN_ERROR_NOT_FOUND);
  assert_true(cuda->is_here(loaded));
  cuda->unload(loaded);
  cuda->unload(NULL);
  assert_int_equal(fake->calls("cuModuleLoadData"), 1);
  assert_int_equal(fake->calls("cuModuleUnload"), 1);
}

static void
test_a_module_for_each_context(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  setenv("KILN_FAKE_DEVICES", "9.0,9.0,8.0", 1);
  assert_int_equal(load(fake, 90, "scale", &loaded, NULL), KILN_OK);
  void *first = cuda->function(loaded, "scale", NULL);
  assert_int_equal(kiln_cuda_use(fake->cuda, 1, NULL), KILN_OK);
  assert_false(cuda->is_here(loaded));
  void *second = cuda->function(loaded, "scale", NULL);
  assert_non_null(second);
  assert_ptr_not_equal(first, second);
  assert_true(cuda->is_here(loaded));
  assert_int_equal(fake->calls("cuModuleLoadData"), 2);
  assert_int_equal(kiln_cuda_use(fake->cuda, 0, NULL), KILN_OK);
  assert_ptr_equal(cuda->function(loaded, "scale", NULL), first);
  struct kiln_error error;
  assert_int_equal(kiln_cuda_use(fake->cuda, 2, NULL), KILN_OK);
  assert_null(cuda->function(loaded, "scale", &error));
  assert_int_equal(error.status, KILN_ERROR_ARCHITECTURE);
  assert_int_equal(fake->calls("cuModuleLoadData"), 2); /* the driver was not asked */
  cuda->unload(loaded);
  assert_int_equal(fake->calls("cuModuleUnload"), 2);
}

/* A context that went, and another one at its address. */
static void
test_an_address_is_not_a_context(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  unsigned long long *context = fake->new_context(0); /* the stand-in's: device, then id */
  assert_int_equal(fake->cuda->call.context_set(context), 0);
  assert_int_equal(load(fake, 90, "scale", &loaded, NULL), KILN_OK);
  context[1] += 1000;
  assert_false(cuda->is_here(loaded));
  assert_non_null(cuda->function(loaded, "scale", NULL));
  assert_int_equal(fake->calls("cuModuleLoadData"), 2);
  cuda->unload(loaded);
  free(context);
}

static void
test_wrong_architecture(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  struct kiln_error error;
  assert_int_equal(load(fake, 100, "scale", &loaded, &error), KILN_ERROR_ARCHITECTURE);
  assert_null(loaded);
  assert_string_equal(error.what, "code for sm_100 does not run on device 0, Fake GPU 9.0, which is sm_90");
  assert_string_equal(error.remedy, "Build for sm_90.");
  assert_int_equal(fake->calls("cuModuleLoadData"), 0);
}

static void
test_missing_entry_point(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  struct kiln_error error;
  assert_int_equal(load(fake, 90, "other", &loaded, &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, "'scale'"));
  assert_int_equal(fake->calls("cuModuleUnload"), 1);
}

static void
test_ptx_is_text(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  struct kiln_found found = {.fd = -1};
  kiln_buf_init(&found.entry.data);
  kiln_buf_text_append(&found.entry.data, ".version 9.0\n.target sm_90\n.visible .entry scale()");
  found.entry.payload_len = found.entry.data.len;
  kiln_buf_text_append(&found.entry.data, "trailer");
  const struct kiln_load what = {
      .found = &found, .cuda = fake->cuda, .entry_points = (const char *const[]){"scale"}, .entry_point_count = 1};
  assert_int_equal(cuda->load(&what, &loaded, NULL), KILN_OK);
  struct kiln_error error;
  assert_null(cuda->function(loaded, "trailer", &error)); /* what follows the payload is not handed over */
  cuda->unload(loaded);
  kiln_buf_release(&found.entry.data);
}

static void
test_no_image(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  struct kiln_error error;
  struct kiln_found found = {.fd = -1};
  kiln_buf_init(&found.entry.data);
  kiln_buf_text_append(&found.entry.data, "neither nor");
  found.entry.payload_len = found.entry.data.len;
  const struct kiln_load what = {.found = &found, .cuda = fake->cuda};
  assert_int_equal(cuda->load(&what, &loaded, &error), KILN_ERROR_FORMAT);
  assert_string_equal(error.what, "11 bytes are no cubin, no fatbin and no PTX");
  kiln_buf_release(&found.entry.data);
}

/* A capture of another stream, in the mode that is broken by what anybody does. */
static void
test_a_capture_survives_loading(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  void *stream, *graph;
  assert_int_equal(kiln_cuda_stream_new(fake->cuda, &stream, NULL), KILN_OK);
  assert_int_equal(fake->cuda->call.capture_begin(stream, KILN_CU_CAPTURE_GLOBAL), 0);
  assert_int_equal(load(fake, 90, "scale", &loaded, NULL), KILN_OK);
  assert_int_equal(fake->capture_state(stream), KILN_CU_CAPTURING);
  assert_int_equal(kiln_cuda_capture_end(fake->cuda, stream, &graph, NULL), KILN_OK);
  assert_int_equal(fake->cuda->call.graph_destroy(graph), 0);
  int mode = KILN_CU_CAPTURE_GLOBAL; /* as it was before */
  assert_int_equal(fake->cuda->call.capture_mode(&mode), 0);
  assert_int_equal(mode, KILN_CU_CAPTURE_GLOBAL);
  cuda->unload(loaded);
  kiln_cuda_stream_free(fake->cuda, stream);
}

/* ---- at the same time ---- */

enum { CROWD = 8 };

struct one_of_many {
  struct fake *fake;
  struct kiln_loaded *loaded;
  void *function;
  pthread_t thread;
};

static void *
ask_on_device_1(void *context)
{
  struct one_of_many *one = context;
  if (kiln_cuda_use(one->fake->cuda, 1, NULL) == KILN_OK)
    one->function = cuda->function(one->loaded, "scale", NULL);
  return NULL;
}

static void
test_threads(void **state)
{
  struct fake *fake = *state;
  struct one_of_many crowd[CROWD];
  struct kiln_loaded *loaded;
  setenv("KILN_FAKE_DEVICES", "9.0,9.0", 1);
  assert_int_equal(load(fake, 90, "scale", &loaded, NULL), KILN_OK);
  for (int i = 0; i < CROWD; i++) {
    crowd[i] = (struct one_of_many){.fake = fake, .loaded = loaded};
    assert_int_equal(pthread_create(&crowd[i].thread, NULL, ask_on_device_1, &crowd[i]), 0);
  }
  for (int i = 0; i < CROWD; i++) {
    pthread_join(crowd[i].thread, NULL);
    assert_non_null(crowd[i].function);
    assert_ptr_equal(crowd[i].function, crowd[0].function);
  }
  assert_int_equal(fake->calls("cuModuleLoadData"), 2); /* one a context */
  cuda->unload(loaded);
}

static void
test_the_driver_refuses(void **state)
{
  struct fake *fake = *state;
  struct kiln_loaded *loaded;
  struct kiln_error error;
  setenv("KILN_FAKE_FAIL", "cuModuleLoadData=222", 1);
  assert_int_equal(load(fake, 90, "scale", &loaded, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.remedy, "newer driver"));
  setenv("KILN_FAKE_FAIL", "cuModuleGetFunction=999", 1);
  assert_int_equal(load(fake, 90, "scale", &loaded, &error), KILN_ERROR_DEVICE);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      FAKE_TEST(test_load_and_find),
      FAKE_TEST(test_a_module_for_each_context),
      FAKE_TEST(test_an_address_is_not_a_context),
      FAKE_TEST(test_wrong_architecture),
      FAKE_TEST(test_missing_entry_point),
      FAKE_TEST(test_ptx_is_text),
      FAKE_TEST(test_no_image),
      FAKE_TEST(test_a_capture_survives_loading),
      FAKE_TEST(test_threads),
      FAKE_TEST(test_the_driver_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
