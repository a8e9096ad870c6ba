#include "made.h"

#include <errno.h>

#include "store/place.h"

static void
test_the_first_wins(void **state)
{
  struct made *made = *state;
  struct kiln_store *other = made_open(made, "store", NULL);
  bool lost = false;
  made_publish(made, "a", "first");
  assert_int_equal(made_publish_in(other, "a", "second", &lost), KILN_OK);
  assert_true(lost);
  assert_true(made_finds(other, "a", "first"));
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
  assert_int_equal(made_count_in(made->folder.data), 1); /* the loser's file is gone too */
  kiln_store_close(other);
}

static void
test_a_bad_winner_is_replaced(void **state)
{
  struct made *made = *state;
  bool lost = true;
  struct stat before, after;
  made_publish(made, "a", "first");
  assert_int_equal(chmod(made_entry_path(made, "store", "a"), 0600), 0);
  assert_int_equal(truncate(made_entry_path(made, "store", "a"), 40), 0);
  stat(made_entry_path(made, "store", "a"), &before);
  int kept = open(made_entry_path(made, "store", "a"), O_RDONLY);
  assert_int_equal(made_publish_in(made->store, "a", "second", &lost), KILN_OK);
  assert_false(lost);
  stat(made_entry_path(made, "store", "a"), &after);
  assert_int_not_equal(before.st_ino, after.st_ino); /* who has the old one mapped keeps it */
  close(kept);
  assert_true(made_finds(made->store, "a", "second"));
  assert_int_equal(made_mode(made_entry_path(made, "store", "a")), 0400);
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
}

static void
check_modes(struct made *made, mode_t mask)
{
  mode_t before = umask(mask);
  made_publish(made, "a", "payload");
  umask(before);
  assert_int_equal(made_mode(made_path(made, "store")), 0700 & ~mask);
  assert_int_equal(made_mode(made_path(made, "store/v1")), 0700);
  assert_int_equal(made_mode(made_path(made, "store/v1/entries")), 0700);
  assert_int_equal(made_mode(made_path(made, "store/v1/build")), 0700);
  assert_int_equal(made_mode(made_entry_path(made, "store", "a")), 0400);
}

static void
test_modes_under_umask_0(void **state)
{
  check_modes(*state, 0);
}

static void
test_modes_under_umask_077(void **state)
{
  check_modes(*state, 077);
}

/* The file as a compiler left it: readable and executable for everybody. */
static void
test_modes_of_what_was_built(void **state)
{
  struct made *made = *state;
  struct kiln_buf entry;
  struct kiln_digest key = made_key("a");
  bool lost;
  made_seal(&entry, "a", "payload");
  assert_int_equal(kiln_file_write(made_path(made, "built"), entry.data, entry.len, NULL), KILN_OK);
  kiln_buf_release(&entry);
  assert_int_equal(chmod(made_path(made, "built"), 0777), 0);
  assert_int_equal(kiln_store_publish(made->store, &key, made_path(made, "built"), &lost, NULL), KILN_OK);
  assert_int_equal(made_mode(made_entry_path(made, "store", "a")), 0400);
  assert_int_not_equal(kiln_store_publish(made->store, &key, made_path(made, "none"), &lost, NULL), KILN_OK);
}

static void
test_a_folder_open_to_readers_gets_readable_files(void **state)
{
  struct made *made = *state;
  assert_int_equal(mkdir(made_path(made, "store"), 0700), 0);
  assert_int_equal(chmod(made_path(made, "store"), 0755), 0);
  mode_t before = umask(077);
  made_publish(made, "a", "payload");
  umask(before);
  assert_int_equal(made_mode(made_path(made, "store/v1/entries")), 0755);
  assert_int_equal(made_mode(made_entry_path(made, "store", "a")), 0444);
}

static void
test_a_store_removed_meanwhile_is_made_again(void **state)
{
  struct made *made = *state;
  made_publish(made, "a", "payload");
  assert_int_equal(kiln_folder_remove(made_path(made, "store"), NULL), KILN_OK);
  made_publish(made, "a", "payload");
  assert_true(made_finds(made->store, "a", "payload"));
}

static void
test_sync_publishes_too(void **state)
{
  struct made *made = *state;
  made->store->sync = true;
  made_publish(made, "a", "payload");
  assert_true(made_finds(made->store, "a", "payload"));
}

/* Thirty publishers of one key and readers all the time: one wins, and no reader ever sees anything but a whole entry.
 */
static void
test_many_processes_publish_one_key(void **state)
{
  struct made *made = *state;
  enum { PUBLISHERS = 12, READERS = 2 };
  pid_t children[PUBLISHERS + READERS];
  int start[2], winners = 0;
  assert_int_equal(pipe(start), 0);
  for (int i = 0; i < PUBLISHERS + READERS; i++) {
    children[i] = fork();
    if (children[i] != 0)
      continue;
    char byte;
    close(start[1]);
    if (read(start[0], &byte, 1) != 0)
      _exit(9);
    struct kiln_store *store = made_open(made, "store", NULL);
    bool lost = false;
    if (i < PUBLISHERS)
      _exit(made_publish_in(store, "a", "payload", &lost) == KILN_OK ? lost : 9);
    for (int round = 0; round < 200; round++)
      (void)made_finds(store, "a", "payload");
    _exit(made->warnings);
  }
  close(start[0]);
  close(start[1]);
  for (int i = 0; i < PUBLISHERS + READERS; i++) {
    int code = made_wait(children[i]);
    assert_true(code == 0 || (code == 1 && i < PUBLISHERS));
    winners += i < PUBLISHERS && code == 0;
  }
  assert_int_equal(winners, 1);
  assert_true(made_finds(made->store, "a", "payload"));
}

static void
test_quarantine_keeps_the_newest_32(void **state)
{
  struct made *made = *state;
  char name[32];
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "%d", i);
    made_publish(made, name, "payload");
    assert_int_equal(
        kiln_store_quarantine(made->store, made_entry_path(made, "store", name), "by/hand", NULL), KILN_OK);
  }
  assert_int_equal(made_count_in(made_path(made, "store/v1/quarantine")), 32);
  char command[1200];
  struct kiln_digest last = made_key("39"), first = made_key("0");
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(&last, hex);
  snprintf(
      command, sizeof command, "ls '%s'/%s.by-hand.* >/dev/null 2>&1", made_path(made, "store/v1/quarantine"), hex);
  assert_int_equal(system(command), 0);
  kiln_digest_hex(&first, hex);
  snprintf(command, sizeof command, "ls '%s'/%s.* >/dev/null 2>&1", made_path(made, "store/v1/quarantine"), hex);
  assert_int_not_equal(system(command), 0);
}

static void
test_only_files_of_the_store_are_set_aside(void **state)
{
  struct made *made = *state;
  struct kiln_error error = {0};
  made_publish(made, "a", "payload");
  assert_int_equal(kiln_file_write(made_path(made, "mine"), "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_store_quarantine(made->store, made_path(made, "mine"), "x", &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "/mine'"));
  assert_int_equal(access(made_path(made, "mine"), F_OK), 0);
  /* Gone already: another process set it aside. */
  assert_int_equal(kiln_store_quarantine(made->store, made_path(made, "store/v1/entries/none"), "x", NULL), KILN_OK);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_the_first_wins),
      CASE(test_a_bad_winner_is_replaced),
      CASE(test_modes_under_umask_0),
      CASE(test_modes_under_umask_077),
      CASE(test_modes_of_what_was_built),
      CASE(test_a_folder_open_to_readers_gets_readable_files),
      CASE(test_a_store_removed_meanwhile_is_made_again),
      CASE(test_sync_publishes_too),
      CASE(test_many_processes_publish_one_key),
      CASE(test_quarantine_keeps_the_newest_32),
      CASE(test_only_files_of_the_store_are_set_aside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
