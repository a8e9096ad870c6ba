#include "entries.h"

#include "kiln/cache.h"

struct seen {
  struct kiln_cache_entry last;
  char name[64], toolchain[64], key[KILN_DIGEST_HEX], path[1024];
  int count, most;
};

static bool
see(void *context, const struct kiln_cache_entry *entry)
{
  struct seen *seen = context;
  seen->last = *entry;
  snprintf(seen->name, sizeof seen->name, "%s", entry->name);
  snprintf(seen->toolchain, sizeof seen->toolchain, "%s", entry->toolchain);
  snprintf(seen->key, sizeof seen->key, "%s", entry->key);
  snprintf(seen->path, sizeof seen->path, "%s", entry->path);
  return ++seen->count != seen->most;
}

static void
test_an_entry_is_told(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  struct seen seen = {0};
  char key[KILN_DIGEST_HEX];
  entries_publish(made, made->store, "a", ",\"name\":\"scale\",\"toolchain\":\"hostcc\",\"built\":1234567890");
  made_age(made_entry_path(made, "store", "a"), 100);
  assert_int_equal(kiln_cache_list(&kiln, see, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 1);
  assert_string_equal(seen.name, "scale");
  assert_string_equal(seen.toolchain, "hostcc");
  assert_string_equal(seen.key, entries_key("a", key));
  assert_string_equal(seen.path, made_entry_path(made, "store", "a"));
  assert_int_equal(seen.last.built_s, 1234567890);
  assert_true(seen.last.size > KILN_ENTRY_FOOTER_SIZE + 7);
  assert_true(seen.last.writable);
  assert_in_range((uint64_t)time(NULL) - seen.last.used_s, 99, 160);
}

static void
test_layers_and_an_early_stop(void **state)
{
  struct made *made = *state;
  struct seen seen = {.most = 1};
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  struct kiln kiln = entries_kiln(above);
  entries_publish(made, made->store, "a", ",\"name\":\"low\"");
  assert_int_equal(kiln_cache_list(&kiln, see, &seen, NULL), KILN_OK);
  assert_string_equal(seen.name, "low");
  assert_false(seen.last.writable);
  entries_publish(made, above, "b", ",\"name\":\"high\"");
  seen = (struct seen){0};
  assert_int_equal(kiln_cache_list(&kiln, see, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 2);
  seen = (struct seen){.most = 1};
  assert_int_equal(kiln_cache_list(&kiln, see, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 1);
  kiln_store_close(above);
}

static void
test_what_is_no_entry_is_not_listed(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  struct seen seen = {0};
  entries_publish(made, made->store, "a", ",\"name\":\"damaged\"");
  entries_publish(made, made->store, "b", ",\"name\":\"writable by all\"");
  assert_int_equal(chmod(made_entry_path(made, "store", "a"), 0600), 0);
  assert_int_equal(truncate(made_entry_path(made, "store", "a"), 200), 0);
  assert_int_equal(chmod(made_entry_path(made, "store", "b"), 0666), 0);
  assert_int_equal(kiln_cache_list(&kiln, see, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 0);
}

static void
test_without_a_store_there_is_nothing(void **state)
{
  struct kiln kiln = entries_kiln(NULL);
  struct seen seen = {0};
  (void)state;
  assert_int_equal(kiln_cache_list(&kiln, see, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_an_entry_is_told, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_layers_and_an_early_stop, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_what_is_no_entry_is_not_listed, made_setup, made_teardown),
      cmocka_unit_test(test_without_a_store_there_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
