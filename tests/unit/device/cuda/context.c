#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/context.h"
#include "unit/device/cuda/fake.h"

static void
test_primary_of_device_0(void **state)
{
  struct fake *fake = *state;
  struct kiln_cuda_place place, again;
  assert_int_equal(kiln_cuda_here(fake->cuda, &place, NULL), KILN_OK);
  assert_non_null(place.context);
  assert_int_equal(place.device->ordinal, 0);
  assert_int_equal(kiln_cuda_here(fake->cuda, &again, NULL), KILN_OK);
  assert_ptr_equal(again.context, place.context);
  assert_int_equal(fake->calls("cuDevicePrimaryCtxRetain"), 1);
}

static void
test_the_current_one(void **state)
{
  struct fake *fake = *state;
  struct kiln_cuda_place place;
  const struct kiln_cuda_device *device;
  setenv("KILN_FAKE_DEVICES", "9.0,8.0", 1);
  assert_int_equal(kiln_cuda_ready(fake->cuda, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_device_here(fake->cuda, &device, NULL), KILN_OK);
  assert_int_equal(device->ordinal, 0); /* would be; no context is made */
  assert_int_equal(fake->calls("cuDevicePrimaryCtxRetain"), 0);
  void *own = fake->new_context(1);
  assert_int_equal(fake->cuda->call.context_set(own), 0);
  assert_int_equal(kiln_cuda_here(fake->cuda, &place, NULL), KILN_OK);
  assert_ptr_equal(place.context, own);
  assert_int_equal(place.device->major, 8);
  assert_int_equal(kiln_cuda_device_here(fake->cuda, &device, NULL), KILN_OK);
  assert_int_equal(device->ordinal, 1);
  assert_int_equal(fake->calls("cuDevicePrimaryCtxRetain"), 0);
  free(own);
}

static void
test_use(void **state)
{
  struct fake *fake = *state;
  struct kiln_cuda_place place;
  setenv("KILN_FAKE_DEVICES", "9.0,8.0", 1);
  assert_int_equal(kiln_cuda_use(fake->cuda, 1, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_here(fake->cuda, &place, NULL), KILN_OK);
  assert_int_equal(place.device->ordinal, 1);
  assert_int_equal(kiln_cuda_use(fake->cuda, 1, NULL), KILN_OK);
  assert_int_equal(fake->calls("cuDevicePrimaryCtxRetain"), 1); /* nobody gives back */
  assert_int_equal(kiln_cuda_use(fake->cuda, 2, NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_cuda_synchronize(fake->cuda, NULL), KILN_OK);
}

static void
test_refused(void **state)
{
  struct fake *fake = *state;
  struct kiln_cuda_place place;
  struct kiln_error error;
  setenv("KILN_FAKE_FAIL", "cuDevicePrimaryCtxRetain=2", 1);
  assert_int_equal(kiln_cuda_here(fake->cuda, &place, &error), KILN_ERROR_MEMORY);
  assert_non_null(strstr(error.what, "cannot make a context on device 0"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {FAKE_TEST(test_primary_of_device_0), FAKE_TEST(test_the_current_one),
      FAKE_TEST(test_use), FAKE_TEST(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
