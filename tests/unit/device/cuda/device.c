#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/device.h"
#include "unit/device/cuda/fake.h"

static void
test_without_a_context(void **state)
{
  struct fake *fake = *state;
  const struct kiln_cuda_device *device, *again;
  int count;
  setenv("KILN_FAKE_DEVICES", "9.0,12.1,8.0", 1);
  assert_int_equal(kiln_cuda_count(fake->cuda, &count, NULL), KILN_OK);
  assert_int_equal(count, 3);
  assert_int_equal(kiln_cuda_device(fake->cuda, 1, &device, NULL), KILN_OK);
  assert_int_equal(device->major, 12);
  assert_int_equal(device->minor, 1);
  assert_string_equal(device->name, "Fake GPU 12.1");
  assert_int_equal(device->memory, 1 << 30);
  assert_int_equal(device->multiprocessors, 132);
  assert_int_equal(device->shared_per_block_most, 232448);
  assert_true(device->clusters);
  assert_int_equal(kiln_cuda_device(fake->cuda, 2, &again, NULL), KILN_OK);
  assert_false(again->clusters);
  const unsigned asked = fake->calls("cuDeviceGetAttribute");
  assert_int_equal(kiln_cuda_device(fake->cuda, 1, &again, NULL), KILN_OK);
  assert_ptr_equal(again, device);
  assert_int_equal(fake->calls("cuDeviceGetAttribute"), asked); /* once a process */
  assert_int_equal(fake->calls("cuDevicePrimaryCtxRetain"), 0);
}

static void
test_visible_ones(void **state)
{
  struct fake *fake = *state;
  const struct kiln_cuda_device *device;
  setenv("KILN_FAKE_DEVICES", "9.0,12.1,8.0", 1);
  setenv("CUDA_VISIBLE_DEVICES", "2", 1);
  assert_int_equal(kiln_cuda_device(fake->cuda, 0, &device, NULL), KILN_OK);
  assert_int_equal(device->major, 8);
}

static void
test_no_such_device(void **state)
{
  struct fake *fake = *state;
  const struct kiln_cuda_device *device;
  struct kiln_error error;
  assert_int_equal(kiln_cuda_device(fake->cuda, 1, &device, &error), KILN_ERROR_ARGUMENT);
  assert_string_equal(error.what, "there is no CUDA device 1: 1 is visible");
  assert_int_equal(kiln_cuda_device(fake->cuda, -1, &device, &error), KILN_ERROR_ARGUMENT);
}

static void
test_refused(void **state)
{
  struct fake *fake = *state;
  const struct kiln_cuda_device *device;
  struct kiln_error error;
  setenv("KILN_FAKE_FAIL", "cuDeviceGetName=999", 1);
  assert_int_equal(kiln_cuda_device(fake->cuda, 0, &device, &error), KILN_ERROR_DEVICE);
  assert_null(device);
  assert_non_null(strstr(error.what, "cannot ask device 0"));
  unsetenv("KILN_FAKE_FAIL");
  assert_int_equal(kiln_cuda_device(fake->cuda, 0, &device, &error), KILN_OK); /* not remembered */
}

int
main(void)
{
  const struct CMUnitTest tests[] = {FAKE_TEST(test_without_a_context), FAKE_TEST(test_visible_ones),
      FAKE_TEST(test_no_such_device), FAKE_TEST(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
