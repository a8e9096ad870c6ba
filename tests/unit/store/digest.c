#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "store/digest.h"
#include "unit/os/scratch.h"

#define EMPTY "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"
#define ABC "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"

static void
assert_digest(struct kiln_digest digest, const char *expected)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(&digest, hex);
  assert_string_equal(hex, expected);
}

static void
test_known_values(void **state)
{
  (void)state;
  assert_digest(kiln_digest_of(NULL, 0), EMPTY);
  assert_digest(kiln_digest_of("abc", 3), ABC);
  const uint8_t xxh3_of_nothing[16] = {
      0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8, 0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
  struct kiln_checksum checksum = kiln_checksum_of("", 0);
  assert_memory_equal(checksum.bytes, xxh3_of_nothing, 16);
  struct kiln_checksum other = kiln_checksum_of("a", 1);
  assert_memory_not_equal(other.bytes, checksum.bytes, 16);
}

static void
test_pieces_are_the_whole(void **state)
{
  (void)state;
  uint8_t data[1000];
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (uint8_t)(i * 7);
  struct kiln_digest whole = kiln_digest_of(data, sizeof data);
  for (size_t step = 1; step < sizeof data; step += 37) {
    struct kiln_hasher hasher;
    kiln_hasher_begin(&hasher);
    for (size_t at = 0; at < sizeof data; at += step)
      kiln_hasher_add(&hasher, data + at, sizeof data - at < step ? sizeof data - at : step);
    struct kiln_hasher copy = hasher;
    struct kiln_digest first = kiln_hasher_end(&hasher), second = kiln_hasher_end(&copy);
    assert_true(kiln_digest_equal(&first, &whole));
    assert_true(kiln_digest_equal(&second, &whole));
  }
}

static void
test_parse(void **state)
{
  (void)state;
  struct kiln_digest digest, before;
  assert_true(kiln_digest_parse(ABC, &digest));
  assert_digest(digest, ABC);
  const char *refused[] = {NULL, "", "bddd", ABC "0",
      "Bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
      "gddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
      " ddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
      "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d5231/"};
  before = digest;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    assert_false(kiln_digest_parse(refused[i], &digest));
  assert_true(kiln_digest_equal(&digest, &before));
}

static void
test_equal(void **state)
{
  (void)state;
  struct kiln_digest a = kiln_digest_of("abc", 3), b = a;
  assert_true(kiln_digest_equal(&a, &b));
  b.bytes[31] ^= 1;
  assert_false(kiln_digest_equal(&a, &b));
}

static void
test_file(void **state)
{
  struct kiln_digest digest;
  struct kiln_error error;
  const char *path = scratch_path(*state, "file");
  static uint8_t data[100000];
  memset(data, 'x', sizeof data);
  assert_int_equal(kiln_file_write(path, data, sizeof data, NULL), KILN_OK);
  assert_int_equal(kiln_digest_file(path, &digest, NULL), KILN_OK);
  struct kiln_digest whole = kiln_digest_of(data, sizeof data);
  assert_true(kiln_digest_equal(&digest, &whole));
  assert_int_equal(kiln_file_write(path, "", 0, NULL), KILN_OK);
  assert_int_equal(kiln_digest_file(path, &digest, NULL), KILN_OK);
  assert_digest(digest, EMPTY);
  path = scratch_path(*state, "missing");
  assert_int_equal(kiln_digest_file(path, &digest, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, path));
  assert_int_not_equal(kiln_digest_file(((struct scratch *)*state)->folder.data, &digest, &error), KILN_OK);
  assert_digest(digest, EMPTY);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_values), cmocka_unit_test(test_pieces_are_the_whole),
      cmocka_unit_test(test_parse), cmocka_unit_test(test_equal),
      cmocka_unit_test_setup_teardown(test_file, scratch_make, scratch_remove)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
