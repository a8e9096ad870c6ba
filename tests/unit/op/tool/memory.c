/* Blocks in pieces: what is looked at, remembered and compared, and that the room between costs nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "op/tool/memory.h"

#define PIECE ((size_t)300)
#define PIECES ((size_t)5)
#define APART ((size_t)3 << 30)

static const struct kiln_tensor_device cpu = {KILN_DEVICE_CPU, 0};

static void
test_pieces_far_apart(void **state)
{
  struct kiln_block block, copy;
  int64_t at = 0;
  (void)state;
  if (kiln_block_new_far(NULL, cpu, PIECE, PIECES, APART, &block, NULL) != KILN_OK)
    skip(); /* a system that promises no more than it has */
  assert_int_equal(block.bytes, (PIECES - 1) * APART + PIECE);
  unsigned char *data = kiln_block_data(&block);
  assert_int_equal((uintptr_t)data % 256, 0);
  kiln_block_fill(&block, 0xa5);
  assert_int_equal(data[-1], 0xa5);
  assert_int_equal(data[4 * APART + PIECE], 0xa5);
  assert_int_equal(data[APART / 2], 0); /* nobody was there */
  data[2 * APART + 7] = 1;
  assert_int_equal(kiln_block_remember(&block, &copy, NULL), KILN_OK);
  assert_false(kiln_block_differs(&block, &copy, &at));
  data[2 * APART + 7] = 2;
  assert_true(kiln_block_differs(&block, &copy, &at));
  assert_int_equal(at, 2 * APART + 7);
  data[-3] = 2; /* a guard comes first */
  assert_true(kiln_block_differs(&block, &copy, &at));
  assert_int_equal(at, -3);
  kiln_block_recall(&block, &copy);
  assert_false(kiln_block_differs(&block, &copy, &at));
  assert_int_equal(data[2 * APART + 7], 1);
  data[3 * APART + PIECE + 255] = 2; /* the last byte of the guard behind a piece */
  assert_true(kiln_block_differs(&block, &copy, &at));
  assert_int_equal(at, 3 * APART + PIECE + 255);
  assert_int_equal(data[-(int64_t)APART], 0); /* an index of the wrong sign finds memory */
  struct kiln_block set = {0};
  struct kiln_error error = {0};
  assert_int_equal(kiln_block_copy(NULL, cpu, &block, NULL, &set, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "tensors of 12288 MiB"));
  kiln_block_free(NULL, &copy);
  kiln_block_free(NULL, &block);
  assert_null(block.host);
}

static void
test_one_piece(void **state)
{
  struct kiln_block block, copy;
  int64_t at = 0;
  (void)state;
  assert_int_equal(kiln_block_new(NULL, cpu, PIECE, &block, NULL), KILN_OK);
  unsigned char *data = kiln_block_data(&block);
  kiln_block_fill(&block, 7);
  assert_int_equal(data[0], 7);
  assert_int_equal(data[PIECE + 255], 7);
  assert_int_equal(kiln_block_remember(&block, &copy, NULL), KILN_OK);
  assert_false(kiln_block_differs(&block, &copy, &at));
  data[PIECE] = 8;
  assert_true(kiln_block_differs(&block, &copy, &at));
  assert_int_equal(at, PIECE);
  kiln_block_free(NULL, &copy);
  kiln_block_free(NULL, &block);
  assert_int_equal(kiln_block_ask(NULL, cpu, UINT64_MAX, NULL), KILN_OK); /* asked of devices alone */
}

/* Nothing has so many addresses. */
static void
test_too_far(void **state)
{
  struct kiln_block block;
  struct kiln_error error = {0};
  (void)state;
  assert_int_equal(kiln_block_new_far(NULL, cpu, PIECE, PIECES, (size_t)1 << 58, &block, &error), KILN_ERROR_MEMORY);
  assert_non_null(strstr(error.what, "memory is short"));
  kiln_block_free(NULL, &block);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_far_apart),
      cmocka_unit_test(test_one_piece),
      cmocka_unit_test(test_too_far),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
