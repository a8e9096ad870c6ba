#include "made.h"

#include "store/evict.h"
#include "store/lock.h"

/* Ten entries "0"…"9" of one size; entry i was used i days and an hour ago. */
static uint64_t
ten_entries(struct made *made)
{
  struct stat status;
  for (int i = 0; i < 10; i++) {
    char name[2] = {(char)('0' + i), '\0'};
    made_publish(made, name, "payload");
    made_age(made_entry_path(made, "store", name), i * DAY + 3600);
  }
  assert_int_equal(stat(made_entry_path(made, "store", "0"), &status), 0);
  return (uint64_t)status.st_size;
}

static bool
has(struct made *made, const char *name)
{
  return access(made_entry_path(made, "store", name), F_OK) == 0;
}

static void
test_the_oldest_goes_first(void **state)
{
  struct made *made = *state;
  struct kiln_evicted evicted;
  uint64_t size = ten_entries(made);
  assert_int_equal(kiln_store_evict(made->store, 10 * size, false, &evicted, NULL), KILN_OK);
  assert_int_equal(evicted.removed, 0);
  assert_int_equal(evicted.kept_bytes, 10 * size);
  assert_int_equal(kiln_store_evict(made->store, 7 * size + 1, false, &evicted, NULL), KILN_OK);
  assert_int_equal(evicted.removed, 3);
  assert_int_equal(evicted.freed_bytes, 3 * size);
  assert_int_equal(evicted.kept_bytes, 7 * size);
  assert_true(has(made, "6"));
  assert_false(has(made, "7") || has(made, "8") || has(made, "9"));
}

static void
test_the_young_stay(void **state)
{
  struct made *made = *state;
  struct kiln_evicted evicted;
  uint64_t size = ten_entries(made);
  assert_int_equal(kiln_store_evict(made->store, 0, false, &evicted, NULL), KILN_OK);
  assert_int_equal(evicted.removed, 8);
  assert_true(has(made, "0") && has(made, "1"));
  assert_int_equal(evicted.kept_bytes, 2 * size);
  assert_int_equal(kiln_store_evict(made->store, 0, true, &evicted, NULL), KILN_OK);
  assert_int_equal(evicted.removed, 2);
  assert_int_equal(evicted.kept_bytes, 0);
}

static void
test_a_touched_entry_stays(void **state)
{
  struct made *made = *state;
  struct kiln_evicted evicted;
  struct kiln_found found;
  struct kiln_digest key = made_key("9");
  uint64_t size = ten_entries(made);
  assert_int_equal(kiln_store_find(made->store, &key, &found, NULL), KILN_OK);
  kiln_store_touch(made->store, &found);
  assert_int_equal(kiln_store_evict(made->store, 9 * size, false, &evicted, NULL), KILN_OK);
  assert_true(has(made, "9"));
  assert_false(has(made, "8"));
  /* Who has it open keeps it. */
  assert_int_equal(kiln_store_evict(made->store, 0, true, &evicted, NULL), KILN_OK);
  assert_false(has(made, "9"));
  char byte;
  assert_int_equal(pread(found.fd, &byte, 1, 0), 1);
  kiln_found_release(&found);
}

static void
test_nothing_of_a_missing_store(void **state)
{
  struct made *made = *state;
  struct kiln_evicted evicted;
  assert_int_equal(kiln_store_evict(made->store, 0, true, &evicted, NULL), KILN_OK);
  assert_int_equal(evicted.removed, 0);
  kiln_store_evict_sometimes(made->store, 0);
  assert_int_not_equal(access(made_path(made, "store"), F_OK), 0);
}

static void
test_other_files_are_left(void **state)
{
  struct made *made = *state;
  struct kiln_evicted evicted;
  made_publish(made, "a", "payload");
  assert_int_equal(kiln_file_write(made_path(made, "store/v1/entries/README"), "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_store_evict(made->store, 0, true, &evicted, NULL), KILN_OK);
  assert_int_equal(evicted.removed, 1);
  assert_int_equal(access(made_path(made, "store/v1/entries/README"), F_OK), 0);
}

static void
test_once_an_hour(void **state)
{
  struct made *made = *state;
  ten_entries(made);
  kiln_store_evict_sometimes(made->store, 0); /* makes the stamp */
  assert_true(has(made, "9"));
  kiln_store_evict_sometimes(made->store, 0); /* too early */
  assert_true(has(made, "9"));
  made_age(made_path(made, "store/v1/swept"), 3700);
  kiln_store_evict_sometimes(made->store, 0);
  assert_false(has(made, "9"));
  made_age(made_entry_path(made, "store", "1"), 5 * DAY);
  kiln_store_evict_sometimes(made->store, 0);
  assert_true(has(made, "1"));
}

/* Many ask at one moment, round after round: one is told to sweep. */
static void
test_one_process_sweeps(void **state)
{
  struct made *made = *state;
  enum { PROCESSES = 8, ROUNDS = 20 };
  made_publish(made, "a", "payload");
  assert_false(kiln_store_evict_claim(made->store));
  for (int round = 0; round < ROUNDS; round++) {
    pid_t children[PROCESSES];
    int start[2], sweepers = 0;
    made_age(made_path(made, "store/v1/swept"), 3700);
    assert_int_equal(pipe(start), 0);
    for (int i = 0; i < PROCESSES; i++) {
      children[i] = fork();
      if (children[i] != 0)
        continue;
      char byte;
      struct kiln_store *store = made_open(made, "store", NULL);
      close(start[1]);
      if (read(start[0], &byte, 1) != 0)
        _exit(9);
      _exit(kiln_store_evict_claim(store));
    }
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < PROCESSES; i++) {
      int code = made_wait(children[i]);
      assert_true(code <= 1);
      sweepers += code;
    }
    assert_int_equal(sweepers, 1);
  }
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
}

static void
test_loaders_never_notice(void **state)
{
  struct made *made = *state;
  enum { LOADERS = 4, ROUNDS = 100 };
  pid_t children[LOADERS];
  for (int i = 0; i < LOADERS; i++) {
    children[i] = fork();
    if (children[i] != 0)
      continue;
    struct kiln_store *store = made_open(made, "store", NULL);
    for (int round = 0; round < ROUNDS; round++) {
      bool lost;
      struct kiln_found found;
      struct kiln_digest key = made_key("a");
      enum kiln_status status = kiln_store_find(store, &key, &found, NULL);
      if (status == KILN_OK)
        kiln_found_release(&found);
      else if (status != KILN_ERROR_NOT_FOUND || made_publish_in(store, "a", "payload", &lost) != KILN_OK)
        _exit(1);
    }
    _exit(made->warnings);
  }
  for (int round = 0; round < ROUNDS; round++) {
    struct kiln_evicted evicted;
    assert_int_equal(kiln_store_evict(made->store, 0, true, &evicted, NULL), KILN_OK);
    usleep(500);
  }
  for (int i = 0; i < LOADERS; i++)
    assert_int_equal(made_wait(children[i]), 0);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_the_oldest_goes_first),
      CASE(test_the_young_stay),
      CASE(test_a_touched_entry_stays),
      CASE(test_nothing_of_a_missing_store),
      CASE(test_other_files_are_left),
      CASE(test_once_an_hour),
      CASE(test_one_process_sweeps),
      CASE(test_loaders_never_notice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
