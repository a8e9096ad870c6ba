#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/range_lock.h"
#include "unit/os/scratch.h"

static void
test_one_owner_a_byte(void **state)
{
  const char *path = scratch_path(*state, "lock");
  int a, b, c;
  assert_int_equal(kiln_range_lock_try(path, 0600, 7, &a), KILN_RANGE_TAKEN);
  assert_int_equal(fcntl(a, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  assert_int_equal(kiln_range_lock_try(path, 0600, 7, &b), KILN_RANGE_BUSY);
  assert_int_equal(b, -1);
  /* A neighbour is another lock, and closing its descriptor frees nothing but that. */
  assert_int_equal(kiln_range_lock_try(path, 0600, 8, &c), KILN_RANGE_TAKEN);
  close(c);
  assert_int_equal(kiln_range_lock_try(path, 0600, 7, &b), KILN_RANGE_BUSY);
  close(a);
  assert_int_equal(kiln_range_lock_try(path, 0600, 7, &b), KILN_RANGE_TAKEN);
  close(b);
}

static void
test_far_bytes(void **state)
{
  const char *path = scratch_path(*state, "lock");
  int a, b;
  assert_int_equal(kiln_range_lock_try(path, 0600, (uint64_t)1 << 61, &a), KILN_RANGE_TAKEN);
  assert_int_equal(kiln_range_lock_try(path, 0600, (uint64_t)1 << 61, &b), KILN_RANGE_BUSY);
  close(a);
  assert_int_equal(kiln_range_lock_try(path, 0600, (uint64_t)1 << 63, &b), KILN_RANGE_UNAVAILABLE);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_size, 0);
}

static void
test_freed_by_the_death_of_its_owner(void **state)
{
  const char *path = scratch_path(*state, "lock");
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    int fd;
    byte = kiln_range_lock_try(path, 0600, 1, &fd) == KILN_RANGE_TAKEN ? '+' : '-';
    if (write(ready[1], &byte, 1) == 1)
      pause();
    _exit(1);
  }
  int fd;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_int_equal(byte, '+');
  assert_int_equal(kiln_range_lock_try(path, 0600, 1, &fd), KILN_RANGE_BUSY);
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_int_equal(kiln_range_lock_try(path, 0600, 1, &fd), KILN_RANGE_TAKEN);
  close(fd);
  close(ready[0]);
  close(ready[1]);
}

/* The lock belongs to the description, not to the process: a child that closes its copy leaves the parent's lock. */
static void
test_kept_when_a_child_closes_its_copy(void **state)
{
  const char *path = scratch_path(*state, "lock");
  int fd, other;
  assert_int_equal(kiln_range_lock_try(path, 0600, 3, &fd), KILN_RANGE_TAKEN);
  pid_t pid = fork();
  if (pid == 0) {
    close(fd);
    _exit(kiln_range_lock_try(path, 0600, 3, &other) == KILN_RANGE_BUSY ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_int_equal(kiln_range_lock_try(path, 0600, 3, &other), KILN_RANGE_BUSY);
  close(fd);
}

static void
test_content_stays_and_mode_ignores_the_umask(void **state)
{
  const char *path = scratch_path(*state, "lock");
  int fd;
  mode_t before = umask(077);
  assert_int_equal(kiln_range_lock_try(path, 0660, 0, &fd), KILN_RANGE_TAKEN);
  umask(before);
  struct stat status;
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0660);
  assert_int_equal(write(fd, "x", 1), 1);
  close(fd);
  assert_int_equal(kiln_range_lock_try(path, 0600, 0, &fd), KILN_RANGE_TAKEN);
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_size, 1);
  assert_int_equal(status.st_mode & 07777, 0660);
  close(fd);
}

static void
test_unavailable(void **state)
{
  int fd;
  assert_int_equal(kiln_range_lock_try(scratch_path(*state, "no/lock"), 0600, 0, &fd), KILN_RANGE_UNAVAILABLE);
  assert_int_equal(fd, -1);
  const char *planted = scratch_path(*state, "planted");
  assert_int_equal(symlink("/dev/null", planted), 0);
  assert_int_equal(kiln_range_lock_try(planted, 0600, 0, &fd), KILN_RANGE_UNAVAILABLE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_one_owner_a_byte), TEST(test_far_bytes),
      TEST(test_freed_by_the_death_of_its_owner), TEST(test_kept_when_a_child_closes_its_copy),
      TEST(test_content_stays_and_mode_ignores_the_umask), TEST(test_unavailable)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
