#include "entries.h"

#include "jit/cache_nearest.h"

#define FIELD(tag, value) "{\"tag\":\"" tag "\",\"value\":\"" value "\"}"

/* A key of up to four fields behind "abi". */
static void
make_key(struct kiln_key *key, const char *const *fields)
{
  kiln_key_init(key);
  for (; *fields; fields += 2)
    kiln_key_add(key, fields[0], fields[1]);
}

static void
publish(struct made *made, const char *key, const char *name, const char *fields)
{
  char members[1024];
  snprintf(members, sizeof members, ",\"name\":\"%s\",\"fields\":[" FIELD("abi", "1") ",%s]", name, fields);
  entries_publish(made, made->store, key, members);
}

static void
find(struct made *made, const char *const *fields, bool early, struct kiln_nearest *nearest)
{
  struct kiln kiln = entries_kiln(made->store);
  struct kiln_key key;
  make_key(&key, fields);
  struct kiln_nearest_request request = {&key, "mine", early, UINT64_C(60000000000)};
  assert_int_equal(kiln_nearest_find(&kiln, &request, nearest, NULL), KILN_OK);
  kiln_key_release(&key);
}

static void
assert_differs(const struct kiln_nearest *nearest, size_t i, const char *tag, const char *here, const char *there)
{
  assert_true(i < nearest->count);
  assert_string_equal(nearest->differences[i].tag, tag);
  assert_string_equal(nearest->differences[i].here ? nearest->differences[i].here : "none", here);
  assert_string_equal(nearest->differences[i].there ? nearest->differences[i].there : "none", there);
}

static void
test_an_empty_store_has_no_nearest(void **state)
{
  const char *const fields[] = {"flag", "-O2", NULL};
  struct kiln_nearest nearest;
  find(*state, fields, false, &nearest);
  assert_false(nearest.found);
  kiln_nearest_release(&nearest);
}

static void
test_most_equal_fields_win_and_only_differences_are_told(void **state)
{
  const char *const fields[] = {"source a.c", "x", "flag", "-O2", "flag", "-g", NULL};
  struct kiln_nearest nearest;
  char key[KILN_DIGEST_HEX];
  publish(*state, "far", "far", FIELD("source a.c", "y") "," FIELD("flag", "-O3"));
  publish(*state, "near", "near", FIELD("source a.c", "x") "," FIELD("flag", "-O3") "," FIELD("link", "-lm"));
  find(*state, fields, false, &nearest);
  assert_true(nearest.found);
  assert_string_equal(nearest.name, "near");
  assert_string_equal(nearest.key, entries_key("near", key));
  assert_int_equal(nearest.equal, 2);
  assert_int_equal(nearest.count, 3);
  assert_differs(&nearest, 0, "flag", "-O2", "-O3");
  assert_differs(&nearest, 1, "flag", "-g", "none");
  assert_differs(&nearest, 2, "link", "none", "-lm");
  kiln_nearest_release(&nearest);
}

static void
test_order_alone_is_a_difference(void **state)
{
  const char *const fields[] = {"flag", "-Da", "flag", "-Db", NULL};
  struct kiln_nearest nearest;
  publish(*state, "a", "a", FIELD("flag", "-Db") "," FIELD("flag", "-Da"));
  find(*state, fields, false, &nearest);
  assert_int_equal(nearest.equal, 3);
  assert_int_equal(nearest.count, 2);
  assert_differs(&nearest, 0, "flag", "-Da", "-Db");
  assert_differs(&nearest, 1, "flag", "-Db", "-Da");
  kiln_nearest_release(&nearest);
}

static void
test_an_early_key_is_not_held_against_late_fields(void **state)
{
  const char *const fields[] = {"toolchain", "hostcc", "flag", "-O2", NULL};
  const char late[] = FIELD("toolchain", "hostcc") "," FIELD("flag", "-O3") "," FIELD(
      "toolchain identity", "t") "," FIELD("system stdio.h", "s") "," FIELD("root 0 a.h", "r");
  struct kiln_nearest nearest;
  publish(*state, "a", "a", late);
  find(*state, fields, true, &nearest);
  assert_int_equal(nearest.count, 1);
  assert_differs(&nearest, 0, "flag", "-O2", "-O3");
  kiln_nearest_release(&nearest);
  find(*state, fields, false, &nearest);
  assert_int_equal(nearest.count, 4);
  kiln_nearest_release(&nearest);
}

static void
test_the_same_name_decides_between_equals(void **state)
{
  const char *const fields[] = {"flag", "-O2", NULL};
  const char *const names[] = {"a", "b", "c", "d"};
  struct kiln_nearest nearest;
  size_t i;
  for (i = 0; i < 4; i++)
    publish(*state, names[i], i == 2 ? "mine" : "other", FIELD("flag", "-O3"));
  find(*state, fields, false, &nearest);
  assert_string_equal(nearest.name, "mine");
  kiln_nearest_release(&nearest);
}

static void
test_damage_is_passed_over(void **state)
{
  struct made *made = *state;
  const char *const fields[] = {"flag", "-O2", NULL};
  struct kiln_nearest nearest;
  publish(made, "a", "a", FIELD("flag", "-O2"));
  entries_damage(made_entry_path(made, "store", "a"));
  find(made, fields, false, &nearest);
  assert_false(nearest.found);
  kiln_nearest_release(&nearest);
}

/* A store that is too large for the patience of the one who asks. */
static void
test_patience_ends(void **state)
{
  struct made *made = *state;
  struct kiln kiln = entries_kiln(made->store);
  const char *const fields[] = {"flag", "-O2", NULL};
  struct kiln_nearest nearest;
  struct kiln_key key;
  for (int i = 0; i < 520; i++) {
    char name[16];
    snprintf(name, sizeof name, "e%d", i);
    publish(made, name, name, FIELD("flag", "-O3"));
  }
  make_key(&key, fields);
  const struct kiln_nearest_request request = {.key = &key, .name = "mine"};
  assert_int_equal(kiln_nearest_find(&kiln, &request, &nearest, NULL), KILN_OK);
  assert_true(nearest.found && nearest.cut);
  assert_in_range(nearest.looked_at, 1, 519);
  kiln_nearest_release(&nearest);
  kiln_key_release(&key);
  find(made, fields, false, &nearest);
  assert_false(nearest.cut);
  assert_int_equal(nearest.looked_at, 520);
  kiln_nearest_release(&nearest);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_an_empty_store_has_no_nearest, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(
          test_most_equal_fields_win_and_only_differences_are_told, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_order_alone_is_a_difference, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_an_early_key_is_not_held_against_late_fields, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_the_same_name_decides_between_equals, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_damage_is_passed_over, made_setup, made_teardown),
      cmocka_unit_test_setup_teardown(test_patience_ends, made_setup, made_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
