#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/lock.h"
#include "unit/os/scratch.h"

static void
test_one_owner_at_a_time(void **state)
{
  const char *path = scratch_path(*state, "lock");
  int fd = kiln_lock_try(path);
  assert_true(fd >= 0);
  assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  assert_int_equal(kiln_lock_try(path), -1);
  close(fd);
  fd = kiln_lock_try(path);
  assert_true(fd >= 0);
  close(fd);
}

static void
test_freed_when_the_owner_dies(void **state)
{
  const char *path = scratch_path(*state, "lock");
  pid_t pid = fork();
  if (pid == 0) {
    int fd = kiln_lock_try(path);
    _exit(fd >= 0 ? 0 : 1); /* not closed: the kernel does it */
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  int fd = kiln_lock_try(path);
  assert_true(fd >= 0);
  close(fd);
}

static void
test_no_folder(void **state)
{
  assert_int_equal(kiln_lock_try(scratch_path(*state, "no/lock")), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_one_owner_at_a_time), TEST(test_freed_when_the_owner_dies), TEST(test_no_folder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
