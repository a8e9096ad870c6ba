#include "entries.h"

#include "kiln/cache.h"
#include "store/negative.h"

static void
test_what_is_there_is_counted(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  struct kiln kiln = entries_kiln(above);
  struct kiln_cache_stats stats;
  struct kiln_digest request = made_key("request");
  assert_int_equal(kiln_cache_stats(&kiln, &stats, NULL), KILN_OK);
  assert_int_equal(stats.entries, 0);
  assert_true(stats.writable);
  entries_publish(made, made->store, "low", "");
  entries_publish(made, above, "a", "");
  entries_publish(made, above, "b", "");
  assert_int_equal(kiln_negative_write(above, &request, "broken", NULL), KILN_OK);
  assert_int_equal(kiln_cache_stats(&kiln, &stats, NULL), KILN_OK);
  assert_int_equal(stats.entries, 2);
  assert_int_equal(stats.layer_entries, 1);
  assert_int_equal(stats.failed, 1);
  assert_int_equal(stats.quarantined, 0);
  assert_in_range(stats.bytes, 2 * (KILN_ENTRY_FOOTER_SIZE + 7), 2000);
  entries_damage(made_entry_path(made, "above", "a"));
  assert_int_equal(kiln_store_quarantine(above, made_entry_path(made, "above", "a"), "test", NULL), KILN_OK);
  assert_int_equal(kiln_cache_stats(&kiln, &stats, NULL), KILN_OK);
  assert_int_equal(stats.entries, 1);
  assert_int_equal(stats.quarantined, 1);
  kiln_store_close(above);
}

static void
test_without_a_store_everything_is_zero(void **state)
{
  struct kiln kiln = entries_kiln(NULL);
  struct kiln_cache_stats stats = {.entries = 99, .writable = true};
  (void)state;
  assert_int_equal(kiln_cache_stats(&kiln, &stats, NULL), KILN_OK);
  assert_int_equal(stats.entries, 0);
  assert_false(stats.writable);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_is_there_is_counted, made_setup, made_teardown),
      cmocka_unit_test(test_without_a_store_everything_is_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
