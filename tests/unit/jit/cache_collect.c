#include "entries.h"

#include "kiln/cache.h"
#include "store/negative.h"

static void
test_old_ones_go_first_and_young_ones_stay(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  uint64_t removed = 99, freed = 99;
  kiln.options.cache_limit_bytes = 1;
  entries_publish(made, made->store, "old", "");
  entries_publish(made, made->store, "young", "");
  made_age(made_entry_path(made, "store", "old"), 3 * DAY);
  assert_int_equal(kiln_cache_collect(&kiln, 0, false, &removed, &freed, NULL), KILN_OK);
  assert_int_equal(removed, 1);
  assert_true(freed > 0);
  assert_int_not_equal(access(made_entry_path(made, "store", "old"), F_OK), 0);
  assert_int_equal(access(made_entry_path(made, "store", "young"), F_OK), 0);
  assert_int_equal(kiln_cache_collect(&kiln, 1, true, &removed, &freed, NULL), KILN_OK);
  assert_int_equal(removed, 1);
  assert_int_not_equal(access(made_entry_path(made, "store", "young"), F_OK), 0);
}

static void
test_a_large_limit_removes_nothing(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  uint64_t removed = 99, freed = 99;
  entries_publish(made, made->store, "a", "");
  made_age(made_entry_path(made, "store", "a"), 30 * DAY);
  assert_int_equal(kiln_cache_collect(&kiln, 1 << 20, true, &removed, &freed, NULL), KILN_OK);
  assert_int_equal(removed, 0);
  assert_int_equal(freed, 0);
}

static void
test_clear_removes_entries_and_failures_but_no_layer(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  struct kiln kiln = entries_kiln(above);
  struct kiln_digest request = made_key("request");
  struct kiln_buf message;
  uint64_t removed = 99;
  entries_publish(made, made->store, "low", "");
  entries_publish(made, above, "high", "");
  assert_int_equal(kiln_negative_write(above, &request, "broken", NULL), KILN_OK);
  assert_int_equal(kiln_cache_clear(&kiln, &removed, NULL), KILN_OK);
  assert_int_equal(removed, 1);
  assert_int_equal(access(made_entry_path(made, "store", "low"), F_OK), 0);
  assert_int_not_equal(access(made_entry_path(made, "above", "high"), F_OK), 0);
  kiln_buf_init(&message);
  assert_false(kiln_negative_read(above, &request, &message));
  kiln_buf_release(&message);
  kiln_store_close(above);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_old_ones_go_first_and_young_ones_stay, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_a_large_limit_removes_nothing, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_clear_removes_entries_and_failures_but_no_layer, made_setup, made_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
