#include "unit/probe/events.h"

#include "probe/model_index.h"

static void
pairs_are_kept_apart_and_kept(void **state)
{
  (void)state;
  struct kiln_index index = {0};
  for (uint64_t i = 0; i < 20000; i++) {
    uint64_t *value = kiln_index_at(&index, i % 100, i / 100, UINT64_MAX);
    assert_non_null(value);
    assert_true(*value == UINT64_MAX);
    *value = i;
  }
  assert_int_equal(index.used, 20000);
  for (uint64_t i = 0; i < 20000; i++)
    assert_int_equal(*kiln_index_at(&index, i % 100, i / 100, 0), i);
  assert_int_equal(index.used, 20000);
  kiln_index_release(&index);
  assert_null(index.slots);
}

static void
zeros_are_a_key_like_any_other(void **state)
{
  (void)state;
  struct kiln_index index = {0};
  *kiln_index_at(&index, 0, 0, 5) += 1;
  assert_int_equal(*kiln_index_at(&index, 0, 0, 9), 6);
  assert_int_equal(*kiln_index_at(&index, 0, UINT64_MAX, 9), 9);
  kiln_index_release(&index);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_kept_apart_and_kept),
      cmocka_unit_test(zeros_are_a_key_like_any_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
