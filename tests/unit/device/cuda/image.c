#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/image.h"
#include "unit/device/cuda/fake.h"

static struct kiln_image
look(const char *text)
{
  struct kiln_image image;
  kiln_image_look(&image, text, strlen(text));
  return image;
}

static void
test_cubins(void **state)
{
  struct kiln_buf bytes;
  struct kiln_image image;
  (void)state;
  fake_cubin(&bytes, 90, "k");
  kiln_image_look(&image, bytes.data, bytes.len);
  assert_int_equal(image.kind, KILN_IMAGE_CUBIN);
  assert_int_equal(image.major, 9);
  assert_int_equal(image.minor, 0);
  bytes.data[8] = 7; /* as toolkits before CUDA 13 wrote it */
  bytes.data[48] = 86;
  kiln_image_look(&image, bytes.data, bytes.len);
  assert_int_equal(image.major, 8);
  assert_int_equal(image.minor, 6);
  kiln_image_look(&image, bytes.data, 63);
  assert_int_equal(image.kind, KILN_IMAGE_UNKNOWN);
  bytes.data[18] = 62; /* a shared object of the host */
  kiln_image_look(&image, bytes.data, bytes.len);
  assert_int_equal(image.kind, KILN_IMAGE_UNKNOWN);
  kiln_buf_release(&bytes);
}

static void
test_texts(void **state)
{
  (void)state;
  assert_int_equal(look(".version 9.0\n.target sm_90\n").kind, KILN_IMAGE_PTX);
  assert_int_equal(look("//\n// made by a compiler\n//\n\n.version 8.0").kind, KILN_IMAGE_PTX);
  assert_int_equal(look("// .version").kind, KILN_IMAGE_UNKNOWN);
  assert_int_equal(look("").kind, KILN_IMAGE_UNKNOWN);
  assert_int_equal(look(".versio").kind, KILN_IMAGE_UNKNOWN);
  assert_int_equal(look("P\355U\272rest").kind, KILN_IMAGE_FATBIN);
}

static void
test_fits(void **state)
{
  const struct kiln_image sm86 = {KILN_IMAGE_CUBIN, 8, 6}, unknown = {KILN_IMAGE_CUBIN, 0, 0},
                          ptx = {KILN_IMAGE_PTX, 0, 0};
  (void)state;
  assert_true(kiln_image_fits(&sm86, 8, 6));
  assert_true(kiln_image_fits(&sm86, 8, 9));
  assert_false(kiln_image_fits(&sm86, 8, 0));
  assert_false(kiln_image_fits(&sm86, 9, 6));
  assert_true(kiln_image_fits(&unknown, 9, 0));
  assert_true(kiln_image_fits(&ptx, 9, 0));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cubins), cmocka_unit_test(test_texts), cmocka_unit_test(test_fits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
