#include "entries.h"

static enum kiln_cache_item_result
read_item(const char *path, bool cryptographic, char *reason)
{
  struct kiln_cache_item item;
  struct kiln_error error = {0};
  enum kiln_cache_item_result result = kiln_cache_item_read(path, cryptographic, &item, reason, &error);
  if (result == KILN_CACHE_ITEM_READ)
    kiln_cache_item_release(&item);
  return result;
}

static void
test_a_good_entry(void **state)
{
  struct made *made = *state;
  struct kiln_cache_item item;
  char reason[KILN_CACHE_REASON_SIZE], key[KILN_DIGEST_HEX];
  entries_publish(made, made->store, "a", ",\"name\":\"scale\"");
  assert_int_equal(
      kiln_cache_item_read(made_entry_path(made, "store", "a"), true, &item, reason, NULL), KILN_CACHE_ITEM_READ);
  assert_string_equal(item.key, entries_key("a", key));
  assert_string_equal(kiln_json_get_string(item.manifest, "name", ""), "scale");
  assert_int_equal(item.entry.payload_len, 7);
  kiln_cache_item_release(&item);
}

static void
test_what_is_no_entry(void **state)
{
  struct made *made = *state;
  char reason[KILN_CACHE_REASON_SIZE] = "", path[1024], target[1024];
  snprintf(path, sizeof path, "%s", made_entry_path(made, "store", "a"));
  assert_int_equal(read_item(path, false, reason), KILN_CACHE_ITEM_GONE);
  assert_int_equal(read_item(made_path(made, "not-a-key"), false, reason), KILN_CACHE_ITEM_FOREIGN);
  entries_publish(made, made->store, "a", "");
  assert_int_equal(chmod(path, 0622), 0);
  assert_int_equal(read_item(path, false, reason), KILN_CACHE_ITEM_FOREIGN);
  assert_non_null(strstr(reason, path));
  assert_int_equal(chmod(path, 0400), 0);
  snprintf(target, sizeof target, "%s", made_path(made, "target"));
  assert_int_equal(rename(path, target), 0);
  assert_int_equal(symlink(target, path), 0);
  assert_int_equal(read_item(path, false, reason), KILN_CACHE_ITEM_FOREIGN);
}

static void
test_damage_is_told(void **state)
{
  struct made *made = *state;
  char reason[KILN_CACHE_REASON_SIZE] = "";
  entries_publish(made, made->store, "a", "");
  entries_damage(made_entry_path(made, "store", "a"));
  assert_int_equal(read_item(made_entry_path(made, "store", "a"), false, reason), KILN_CACHE_ITEM_DAMAGED);
  assert_string_equal(reason, kiln_entry_fault_text(KILN_ENTRY_CHECKSUM));
  assert_int_equal(truncate(made_entry_path(made, "store", "a"), 3), 0);
  assert_int_equal(read_item(made_entry_path(made, "store", "a"), true, reason), KILN_CACHE_ITEM_DAMAGED);
  assert_string_equal(reason, kiln_entry_fault_text(KILN_ENTRY_SHORT));
}

/* Only the end is read, so damage of the payload is not seen; that of the end is. */
static void
test_from_its_end(void **state)
{
  struct made *made = *state;
  struct kiln_cache_item item;
  char reason[KILN_CACHE_REASON_SIZE] = "", path[1024], large[20000];
  snprintf(path, sizeof path, "%s", made_entry_path(made, "store", "a"));
  assert_int_equal(kiln_cache_item_peek(path, false, &item, reason, NULL), KILN_CACHE_ITEM_GONE);
  assert_int_equal(
      kiln_cache_item_peek(made_path(made, "not-a-key"), false, &item, reason, NULL), KILN_CACHE_ITEM_FOREIGN);
  entries_publish(made, made->store, "a", ",\"name\":\"n,\\\"built\\\":5\",\"built\":17,\"log\":\"l\"");
  entries_damage(path);
  for (int head = 0; head <= 1; head++) {
    assert_int_equal(kiln_cache_item_peek(path, head, &item, reason, NULL), KILN_CACHE_ITEM_READ);
    assert_string_equal(kiln_json_get_string(item.manifest, "name", ""), "n,\"built\":5");
    assert_int_equal(kiln_json_get_int(item.manifest, "built", 0), 17);
    assert_string_equal(kiln_json_get_string(item.manifest, "log", "none"), head ? "none" : "l");
    kiln_cache_item_release(&item);
  }
  /* Longer than the first look; without "built" the head is the whole. */
  int len = snprintf(large, sizeof large, ",\"name\":\"b\",\"log\":\"");
  memset(large + len, 'x', 15000);
  snprintf(large + len + 15000, sizeof large - (size_t)len - 15000, "\"");
  entries_publish(made, made->store, "b", large);
  assert_int_equal(
      kiln_cache_item_peek(made_entry_path(made, "store", "b"), true, &item, reason, NULL), KILN_CACHE_ITEM_READ);
  assert_int_equal(strlen(kiln_json_get_string(item.manifest, "log", "")), 15000);
  kiln_cache_item_release(&item);
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(truncate(path, 150), 0);
  assert_int_equal(kiln_cache_item_peek(path, false, &item, reason, NULL), KILN_CACHE_ITEM_DAMAGED);
  assert_string_equal(reason, kiln_entry_fault_text(KILN_ENTRY_MAGIC));
  assert_int_equal(truncate(path, 3), 0);
  assert_int_equal(kiln_cache_item_peek(path, false, &item, reason, NULL), KILN_CACHE_ITEM_DAMAGED);
  assert_int_equal(chmod(path, 0622), 0);
  assert_int_equal(kiln_cache_item_peek(path, false, &item, reason, NULL), KILN_CACHE_ITEM_FOREIGN);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_a_good_entry, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_what_is_no_entry, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_damage_is_told, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_from_its_end, made_setup, made_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
