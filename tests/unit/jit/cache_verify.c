#include "entries.h"

#include "kiln/cache.h"

static void
verify(struct kiln_store *store, uint64_t good, uint64_t damaged)
{
  struct kiln kiln = entries_kiln(store);
  uint64_t found_good = 99, found_damaged = 99;
  assert_int_equal(kiln_cache_verify(&kiln, &found_good, &found_damaged, NULL), KILN_OK);
  assert_int_equal(found_good, good);
  assert_int_equal(found_damaged, damaged);
}

static void
test_damage_is_counted_once_and_put_aside(void **state)
{
  struct made *made = *state;
  verify(made->store, 0, 0);
  entries_publish(made, made->store, "a", "");
  entries_publish(made, made->store, "b", "");
  verify(made->store, 2, 0);
  entries_damage(made_entry_path(made, "store", "a"));
  verify(made->store, 1, 1);
  assert_int_equal(made_count_in(made_path(made, "store/v1/quarantine")), 1);
  verify(made->store, 1, 0);
}

static void
test_an_entry_under_the_name_of_another_is_damage(void **state)
{
  struct made *made = *state;
  char from[1024], to[1024], *last;
  entries_publish(made, made->store, "a", "");
  snprintf(from, sizeof from, "%s", made_entry_path(made, "store", "a"));
  snprintf(to, sizeof to, "%s", from);
  last = &to[strlen(to) - 1];
  *last = *last == '0' ? '1' : '0';
  assert_int_equal(rename(from, to), 0);
  verify(made->store, 0, 1);
}

static void
test_a_layer_is_only_read(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  entries_publish(made, made->store, "a", "");
  entries_damage(made_entry_path(made, "store", "a"));
  verify(above, 0, 1);
  assert_int_equal(access(made_entry_path(made, "store", "a"), F_OK), 0);
  kiln_store_close(above);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_damage_is_counted_once_and_put_aside, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_an_entry_under_the_name_of_another_is_damage, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_a_layer_is_only_read, made_setup, made_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
