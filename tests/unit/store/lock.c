#include "made.h"

#include <signal.h>

#include "store/lock.h"
#include "store/place.h"

static void
test_one_holds_it_the_other_is_busy(void **state)
{
  struct made *made = *state;
  struct kiln_store *other = made_open(made, "store", NULL);
  struct kiln_digest key = made_key("a"), second = made_key("b");
  struct kiln_key_lock mine, theirs;
  struct kiln_owner owner;
  assert_false(kiln_key_lock_owner(made->store, &key, &owner));
  assert_int_equal(kiln_key_lock_try(made->store, &key, &mine), KILN_LOCK_TAKEN);
  assert_int_equal(kiln_key_lock_try(other, &key, &theirs), KILN_LOCK_BUSY);
  assert_int_equal(theirs.fd, -1);
  assert_int_equal(kiln_key_lock_try(made->store, &key, &theirs), KILN_LOCK_BUSY); /* another thread's, same process */
  assert_int_equal(kiln_key_lock_try(other, &second, &theirs), KILN_LOCK_TAKEN);
  kiln_key_lock_release(&theirs);
  assert_true(kiln_key_lock_owner(other, &key, &owner));
  assert_int_equal(owner.pid, getpid());
  assert_true(strlen(owner.host) > 0);
  assert_true(owner.age_s >= 0 && owner.build_s >= 0);
  kiln_key_lock_release(&mine);
  assert_false(kiln_key_lock_owner(other, &key, &owner));
  assert_int_equal(kiln_key_lock_try(other, &key, &theirs), KILN_LOCK_TAKEN);
  kiln_key_lock_release(&theirs);
  kiln_key_lock_release(&theirs); /* twice is once */
  kiln_store_close(other);
}

static void
test_files_stay_and_are_private(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("a");
  struct kiln_key_lock lock;
  char relative[64];
  struct stat before, after;
  mode_t mask = umask(0);
  snprintf(relative, sizeof relative, "store/v1/locks/%02x", key.bytes[0]);
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_TAKEN);
  umask(mask);
  assert_true(fcntl(lock.fd, F_GETFD) & FD_CLOEXEC);
  assert_int_equal(stat(made_path(made, relative), &before), 0);
  kiln_key_lock_release(&lock);
  assert_int_equal(made_mode(made_path(made, relative)), 0600);
  assert_int_equal(made_count_in(made_path(made, "store/v1/locks")), 1); /* the note is gone, the file is not */
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_TAKEN);
  assert_int_equal(stat(made_path(made, relative), &after), 0);
  assert_int_equal(before.st_ino, after.st_ino);
  kiln_key_lock_release(&lock);
}

/* Two keys that share a lock file, and differ in a late byte only, do not wait for each other. */
static void
test_keys_of_one_file_are_apart(void **state)
{
  struct made *made = *state;
  struct kiln_digest a = made_key("a"), b = a;
  struct kiln_key_lock first, second;
  b.bytes[8] ^= 1;
  assert_int_equal(kiln_key_lock_try(made->store, &a, &first), KILN_LOCK_TAKEN);
  assert_int_equal(kiln_key_lock_try(made->store, &b, &second), KILN_LOCK_TAKEN);
  kiln_key_lock_release(&first);
  kiln_key_lock_release(&second);
  memset(a.bytes, 0xff, sizeof a.bytes); /* the largest offset is a valid one */
  assert_int_equal(kiln_key_lock_try(made->store, &a, &first), KILN_LOCK_TAKEN);
  kiln_key_lock_release(&first);
}

/* A child that takes the lock, says so, and waits to be killed. */
static pid_t
start_owner(struct made *made, const struct kiln_digest *key)
{
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    struct kiln_key_lock lock;
    if (kiln_key_lock_try(made_open(made, "store", NULL), key, &lock) != KILN_LOCK_TAKEN)
      _exit(1);
    if (write(ready[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  close(ready[1]);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return child;
}

static void
test_the_death_of_its_owner_frees_it(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("a");
  struct kiln_key_lock lock;
  struct kiln_owner owner;
  pid_t child = start_owner(made, &key);
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_BUSY);
  assert_true(kiln_key_lock_owner(made->store, &key, &owner));
  assert_int_equal(owner.pid, child);
  kill(child, SIGKILL);
  assert_int_equal(made_wait(child), 128 + SIGKILL);
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_TAKEN);
  assert_true(kiln_key_lock_owner(made->store, &key, &owner));
  assert_int_equal(owner.pid, getpid()); /* the dead owner's note was replaced */
  kiln_key_lock_release(&lock);
}

static void
test_a_stopped_owner_is_seen_by_the_age_of_its_note(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("a");
  struct kiln_key_lock lock;
  struct kiln_owner owner;
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_TAKEN);
  made_age(lock.note, 100);
  assert_true(kiln_key_lock_owner(made->store, &key, &owner));
  assert_true(owner.age_s > KILN_OWNER_STALE_S);
  assert_true(owner.build_s < 60); /* the begin is in the note, not its time */
  kiln_key_lock_refresh(&lock);
  assert_true(kiln_key_lock_owner(made->store, &key, &owner));
  assert_true(owner.age_s < 60);
  kiln_key_lock_release(&lock);
}

/* The child uses the store, even with its parent's mutex held by a thread that it does not have; the lock stays. */
static void
test_a_forked_child_only_closes(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("a"), own = made_key("b");
  struct kiln_key_lock lock, again;
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_TAKEN);
  kiln_mutex_lock(&made->store->mutex);
  pid_t child = fork();
  if (child == 0) {
    struct kiln_key_lock mine;
    int inherited = lock.fd;
    alarm(30);
    if (kiln_key_lock_try(made->store, &own, &mine) != KILN_LOCK_TAKEN)
      _exit(1);
    if (mine.fd != inherited && fcntl(inherited, F_GETFD) >= 0)
      _exit(2); /* must have been closed */
    kiln_key_lock_release(&lock);
    if (fcntl(mine.fd, F_GETFD) < 0)
      _exit(3); /* must not be closed twice */
    if (access(lock.note ? lock.note : made_path(made, "store"), F_OK) != 0)
      _exit(4);
    if (kiln_key_lock_try(made->store, &key, &lock) != KILN_LOCK_BUSY)
      _exit(5);
    kiln_key_lock_release(&mine);
    _exit(0);
  }
  kiln_mutex_unlock(&made->store->mutex);
  assert_int_equal(made_wait(child), 0);
  assert_int_equal(access(lock.note, F_OK), 0);
  assert_int_equal(kiln_key_lock_try(made->store, &key, &again), KILN_LOCK_BUSY);
  kiln_key_lock_release(&lock);
}

/* A child that lives on with a copy of the descriptor and never uses the store does not keep the key. */
static void
test_release_frees_it_in_spite_of_a_child(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("a");
  struct kiln_key_lock lock, again;
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_TAKEN);
  pid_t child = fork();
  if (child == 0)
    for (;;)
      pause();
  kiln_key_lock_release(&lock);
  enum kiln_lock_result result = kiln_key_lock_try(made->store, &key, &again);
  kill(child, SIGKILL);
  made_wait(child);
  assert_int_equal(result, KILN_LOCK_TAKEN);
  kiln_key_lock_release(&again);
}

static void
test_a_note_of_another_key_says_nothing(void **state)
{
  struct made *made = *state;
  struct kiln_digest a = made_key("a"), b = made_key("b");
  struct kiln_key_lock first, second;
  struct kiln_owner owner;
  assert_int_equal(kiln_key_lock_try(made->store, &a, &first), KILN_LOCK_TAKEN);
  assert_int_equal(kiln_key_lock_try(made->store, &b, &second), KILN_LOCK_TAKEN);
  assert_int_equal(rename(second.note, first.note), 0);
  assert_false(kiln_key_lock_owner(made->store, &a, &owner));
  kiln_key_lock_release(&first);
  kiln_key_lock_release(&second);
}

static void
test_without_a_place_there_is_no_lock(void **state)
{
  struct made *made = *state;
  struct kiln_digest key = made_key("a");
  struct kiln_key_lock lock;
  assert_int_equal(kiln_file_write(made_path(made, "store"), "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_key_lock_try(made->store, &key, &lock), KILN_LOCK_UNAVAILABLE);
  kiln_key_lock_release(&lock);
}

/* Never two inside: each holder makes a file that must not exist yet. */
static void
test_never_two_owners(void **state)
{
  struct made *made = *state;
  enum { PROCESSES = 8, ROUNDS = 50 };
  pid_t children[PROCESSES];
  struct kiln_digest key = made_key("a");
  char inside[1024];
  snprintf(inside, sizeof inside, "%s", made_path(made, "inside"));
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    if (children[i] != 0)
      continue;
    struct kiln_store *store = made_open(made, "store", NULL);
    struct kiln_key_lock lock;
    alarm(100);
    for (int round = 0; round < ROUNDS;) {
      if (kiln_key_lock_try(store, &key, &lock) != KILN_LOCK_TAKEN) {
        usleep(200);
        continue;
      }
      int fd = open(inside, O_CREAT | O_EXCL | O_WRONLY, 0600);
      if (fd < 0)
        _exit(1);
      close(fd);
      unlink(inside);
      kiln_key_lock_release(&lock);
      round++;
    }
    _exit(0);
  }
  for (int i = 0; i < PROCESSES; i++)
    assert_int_equal(made_wait(children[i]), 0);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_one_holds_it_the_other_is_busy),
      CASE(test_files_stay_and_are_private),
      CASE(test_keys_of_one_file_are_apart),
      CASE(test_the_death_of_its_owner_frees_it),
      CASE(test_a_stopped_owner_is_seen_by_the_age_of_its_note),
      CASE(test_a_forked_child_only_closes),
      CASE(test_release_frees_it_in_spite_of_a_child),
      CASE(test_a_note_of_another_key_says_nothing),
      CASE(test_without_a_place_there_is_no_lock),
      CASE(test_never_two_owners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
