#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void
test_blocks_are_zeroed_aligned_and_apart(void **state)
{
  (void)state;
  struct kiln_arena arena;
  kiln_arena_init(&arena);
  static unsigned char *blocks[2000];
  for (size_t i = 0; i < 2000; i++) {
    size_t size = i % 300 + 1;
    blocks[i] = kiln_arena_alloc(&arena, size);
    assert_non_null(blocks[i]);
    assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
    for (size_t at = 0; at < size; at++)
      assert_int_equal(blocks[i][at], 0);
    memset(blocks[i], (int)(i % 255) + 1, size);
  }
  for (size_t i = 0; i < 2000; i++)
    for (size_t at = 0; at < i % 300 + 1; at++)
      assert_int_equal(blocks[i][at], i % 255 + 1);
  assert_false(arena.failed);
  kiln_arena_release(&arena);
  assert_null(arena.chunks);
}

static void
test_large_block_leaves_the_room_in_front(void **state)
{
  (void)state;
  struct kiln_arena arena;
  kiln_arena_init(&arena);
  char *first = kiln_arena_alloc(&arena, 16);
  char *large = kiln_arena_alloc(&arena, 1000000);
  assert_non_null(large);
  large[999999] = 'x';
  char *second = kiln_arena_alloc(&arena, 16);
  assert_ptr_equal(second, first + 16);
  kiln_arena_release(&arena);
}

static void
test_impossible_size_is_remembered(void **state)
{
  (void)state;
  struct kiln_arena arena;
  kiln_arena_init(&arena);
  assert_null(kiln_arena_alloc(&arena, SIZE_MAX));
  assert_true(arena.failed);
  assert_null(kiln_arena_copy(&arena, "x", SIZE_MAX));
  assert_non_null(kiln_arena_alloc(&arena, 8));
  assert_true(arena.failed);
  kiln_arena_release(&arena);
}

static void
test_copies(void **state)
{
  (void)state;
  struct kiln_arena arena;
  kiln_arena_init(&arena);
  assert_string_equal(kiln_arena_copy(&arena, "abcdef", 3), "abc");
  assert_string_equal(kiln_arena_copy(&arena, NULL, 0), "");
  assert_string_equal(kiln_arena_strdup(&arena, "text"), "text");
  assert_null(kiln_arena_strdup(&arena, NULL));
  kiln_arena_release(&arena);
}

static void
test_equal_texts_have_one_address(void **state)
{
  (void)state;
  struct kiln_arena arena;
  struct kiln_intern intern;
  kiln_arena_init(&arena);
  kiln_intern_init(&intern, &arena);
  static const char *stored[5000];
  char text[32];
  for (int i = 0; i < 5000; i++) {
    snprintf(text, sizeof text, "module_%d", i);
    stored[i] = kiln_intern_text(&intern, text);
    assert_string_equal(stored[i], text);
    assert_ptr_not_equal(stored[i], text);
  }
  for (int i = 0; i < 5000; i++) {
    snprintf(text, sizeof text, "module_%d", i);
    assert_ptr_equal(kiln_intern_text(&intern, text), stored[i]);
  }
  assert_int_equal(intern.used, 5000);
  assert_null(kiln_intern_text(&intern, NULL));
  assert_string_equal(kiln_intern_text(&intern, ""), "");
  kiln_intern_release(&intern);
  kiln_arena_release(&arena);
}

static void
test_array_grows(void **state)
{
  (void)state;
  int *items = NULL;
  size_t count = 0, capacity = 0;
  for (int i = 0; i < 1000; i++) {
    assert_true(KILN_GROW(items, count, capacity));
    items[count++] = i;
  }
  for (int i = 0; i < 1000; i++)
    assert_int_equal(items[i], i);
  free(items);
}

static void
test_array_refuses_what_does_not_fit(void **state)
{
  (void)state;
  void *items = NULL;
  size_t capacity = SIZE_MAX / 4;
  assert_false(kiln_array_grow(&items, capacity, &capacity, 16));
  assert_int_equal(capacity, SIZE_MAX / 4);
  assert_null(items);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_are_zeroed_aligned_and_apart),
      cmocka_unit_test(test_large_block_leaves_the_room_in_front),
      cmocka_unit_test(test_impossible_size_is_remembered),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_equal_texts_have_one_address),
      cmocka_unit_test(test_array_grows),
      cmocka_unit_test(test_array_refuses_what_does_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
