#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/memory.h"
#include "unit/device/cuda/fake.h"

static void
test_there_and_back(void **state)
{
  struct fake *fake = *state;
  uint64_t one, two;
  char text[8] = "forward", back[8] = "";
  assert_int_equal(kiln_cuda_memory_new(fake->cuda, sizeof text, &one, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_memory_new(fake->cuda, sizeof text, &two, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_memory_write(fake->cuda, one, text, sizeof text, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_memory_copy(fake->cuda, two, one, sizeof text, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_memory_read(fake->cuda, back, two, sizeof back, NULL, NULL), KILN_OK);
  assert_string_equal(back, text);
  assert_int_equal(kiln_cuda_memory_fill(fake->cuda, two, 'x', 3, NULL, NULL), KILN_OK);
  assert_int_equal(kiln_cuda_memory_read(fake->cuda, back, two, sizeof back, NULL, NULL), KILN_OK);
  assert_string_equal(back, "xxxward");
  kiln_cuda_memory_free(fake->cuda, one);
  kiln_cuda_memory_free(fake->cuda, two);
}

static void
test_nothing(void **state)
{
  struct fake *fake = *state;
  uint64_t address = 5;
  assert_int_equal(kiln_cuda_memory_new(fake->cuda, 0, &address, NULL), KILN_OK);
  assert_int_equal(address, 0);
  assert_int_equal(kiln_cuda_memory_write(fake->cuda, 0, NULL, 0, NULL, NULL), KILN_OK);
  kiln_cuda_memory_free(fake->cuda, 0);
  assert_int_equal(fake->calls("cuMemAlloc") + fake->calls("cuMemFree") + fake->calls("cuMemcpyHtoDAsync"), 0);
}

static void
test_too_much(void **state)
{
  struct fake *fake = *state;
  struct kiln_error error;
  uint64_t address;
  assert_int_equal(kiln_cuda_memory_new(fake->cuda, (size_t)1 << 40, &address, &error), KILN_ERROR_MEMORY);
  assert_non_null(strstr(error.what, "cannot take 1099511627776 bytes of 536870912 that are free"));
}

static void
test_refused(void **state)
{
  struct fake *fake = *state;
  struct kiln_error error;
  setenv("KILN_FAKE_FAIL", "cuMemcpyDtoHAsync=700", 1);
  char byte = 0;
  assert_int_equal(kiln_cuda_memory_read(fake->cuda, &byte, 4096, 1, NULL, &error), KILN_ERROR_DEVICE);
  assert_non_null(strstr(error.what, "cannot copy from the device 1 bytes"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      FAKE_TEST(test_there_and_back), FAKE_TEST(test_nothing), FAKE_TEST(test_too_much), FAKE_TEST(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
