#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/slots.h"
#include "tests/unit/os/scratch.h"

static const struct kiln_slot_row row = {1000, 8}, other_row = {2000, 1u << 20};

static int
open_again(void **state)
{
  const int fd = kiln_slots_open(scratch_path(*state, "slots"));
  assert_true(fd >= 0);
  return fd;
}

static void
test_all_or_none(void **state)
{
  const int a = open_again(state), b = open_again(state), c = open_again(state);
  assert_int_equal(kiln_slots_free(a, &row), 8);
  assert_true(kiln_slots_all_free(a, &row));
  assert_int_equal(kiln_slots_take(a, &row, 3), KILN_SLOTS_TAKEN);
  assert_true(kiln_slots_all_free(a, &row));
  assert_false(kiln_slots_all_free(b, &row));
  assert_int_equal(kiln_slots_free(b, &row), 5);
  assert_int_equal(kiln_slots_take(b, &row, 6), KILN_SLOTS_BUSY);
  assert_int_equal(kiln_slots_free(c, &row), 5);
  assert_int_equal(kiln_slots_take(b, &row, 5), KILN_SLOTS_TAKEN);
  assert_int_equal(kiln_slots_take(c, &row, 1), KILN_SLOTS_BUSY);
  assert_int_equal(kiln_slots_take(c, &row, 0), KILN_SLOTS_TAKEN);
  assert_int_equal(kiln_slots_free(c, &other_row), other_row.size);
  kiln_slots_close(a);
  assert_int_equal(kiln_slots_take(c, &row, 4), KILN_SLOTS_BUSY);
  assert_int_equal(kiln_slots_take(c, &row, 3), KILN_SLOTS_TAKEN);
  kiln_slots_close(b);
  kiln_slots_close(c);
}

/* What is free lies in pieces: taken together all the same. */
static void
test_pieces(void **state)
{
  int each[8];
  for (int i = 0; i < 8; i++) {
    each[i] = open_again(state);
    assert_int_equal(kiln_slots_take(each[i], &row, 1), KILN_SLOTS_TAKEN);
  }
  for (int i = 0; i < 8; i += 2)
    kiln_slots_close(each[i]);
  const int a = open_again(state);
  assert_int_equal(kiln_slots_free(a, &row), 4);
  assert_int_equal(kiln_slots_take(a, &row, 5), KILN_SLOTS_BUSY);
  assert_int_equal(kiln_slots_take(a, &row, 4), KILN_SLOTS_TAKEN);
  kiln_slots_give(a, &row);
  assert_int_equal(kiln_slots_free(each[1], &row), 5);
  for (int i = 1; i < 8; i += 2)
    kiln_slots_close(each[i]);
  assert_int_equal(kiln_slots_free(a, &row), 8);
  kiln_slots_close(a);
}

/* Who may use fewer finds the bottom free as long as possible. */
static void
test_from_the_top(void **state)
{
  const struct kiln_slot_row small = {row.begin, 2};
  const int a = open_again(state), b = open_again(state);
  assert_int_equal(kiln_slots_take(a, &row, 6), KILN_SLOTS_TAKEN);
  assert_int_equal(kiln_slots_take(b, &small, 2), KILN_SLOTS_TAKEN);
  kiln_slots_close(a);
  kiln_slots_close(b);
}

static void
test_large_row(void **state)
{
  const int a = open_again(state), b = open_again(state);
  assert_int_equal(kiln_slots_take(a, &other_row, other_row.size - 1), KILN_SLOTS_TAKEN);
  assert_int_equal(kiln_slots_free(b, &other_row), 1);
  assert_int_equal(kiln_slots_take(b, &other_row, 2), KILN_SLOTS_BUSY);
  kiln_slots_close(a);
  kiln_slots_close(b);
}

static void
test_a_killed_owner_gives_back(void **state)
{
  int ready[2];
  char byte;
  const int here = open_again(state);
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open_again(state);
    if (kiln_slots_take(fd, &row, 8) != KILN_SLOTS_TAKEN || write(ready[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_int_equal(kiln_slots_free(here, &row), 0);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(kiln_slots_take(here, &row, 8), KILN_SLOTS_TAKEN);
  kiln_slots_close(here);
  close(ready[0]);
  close(ready[1]);
}

/* Closing means giving back, also while a forked child has a copy. */
static void
test_a_copy_does_not_hold_on(void **state)
{
  int hold[2];
  char byte;
  const int a = open_again(state), b = open_again(state);
  assert_int_equal(pipe(hold), 0);
  assert_int_equal(kiln_slots_take(a, &row, 8), KILN_SLOTS_TAKEN);
  const pid_t child = fork();
  if (child == 0) {
    close(hold[1]);
    _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  kiln_slots_close(a);
  assert_int_equal(kiln_slots_free(b, &row), 8);
  close(hold[1]);
  close(hold[0]);
  assert_int_equal(waitpid(child, NULL, 0), child);
  kiln_slots_close(b);
}

static void
test_private(void **state)
{
  char path[64];
  (void)state;
  const int file = kiln_slots_private();
  assert_true(file >= 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  const int a = kiln_slots_open(path), b = kiln_slots_open(path);
  assert_true(a >= 0 && b >= 0);
  assert_int_equal(kiln_slots_take(a, &row, 8), KILN_SLOTS_TAKEN);
  assert_int_equal(kiln_slots_take(b, &row, 1), KILN_SLOTS_BUSY);
  kiln_slots_close(a);
  kiln_slots_close(b);
  close(file);
}

static void
test_pulses(void **state)
{
  const int fd = open_again(state);
  const struct timespec old[2] = {{1000, 0}, {2000, 0}};
  assert_int_equal(futimens(fd, old), 0);
  assert_true(kiln_slots_quiet(fd, KILN_PULSE_LINE) > 1e6);
  assert_true(kiln_slots_quiet(fd, KILN_PULSE_HELD) > 1e6);
  kiln_slots_beat(fd, KILN_PULSE_LINE);
  assert_true(kiln_slots_quiet(fd, KILN_PULSE_LINE) < 100);
  assert_true(kiln_slots_quiet(fd, KILN_PULSE_HELD) > 1e6);
  kiln_slots_beat(fd, KILN_PULSE_HELD);
  assert_true(kiln_slots_quiet(fd, KILN_PULSE_HELD) < 100);
  kiln_slots_close(fd);
}

static void
test_refusals(void **state)
{
  struct stat info;
  const int fd = open_again(state);
  assert_int_equal(fstat(fd, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  kiln_slots_close(fd);
  kiln_slots_close(-1);
  char target[1024];
  snprintf(target, sizeof target, "%s", scratch_path(*state, "slots"));
  assert_int_equal(symlink(target, scratch_path(*state, "link")), 0);
  assert_true(kiln_slots_open(scratch_path(*state, "link")) < 0);
  assert_true(kiln_slots_open(scratch_path(*state, "no/folder")) < 0);
  assert_int_equal(kiln_slots_take(-1, &row, 1), KILN_SLOTS_UNAVAILABLE);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_all_or_none, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_pieces, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_from_the_top, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_large_row, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_a_killed_owner_gives_back, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_a_copy_does_not_hold_on, scratch_make, scratch_remove),
      cmocka_unit_test(test_private),
      cmocka_unit_test_setup_teardown(test_pulses, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_refusals, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
