#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/process.h"
#include "unit/os/scratch.h"

static void
test_open_flags(void **state)
{
  const char *path = scratch_path(*state, "a");
  assert_int_equal(kiln_fd_open(path, KILN_OPEN_READ), -1);
  assert_int_equal(errno, ENOENT);
  int fd = kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_NEW);
  assert_true(fd >= 0);
  struct stat status;
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_mode & 077U, 0);
  assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  assert_true(kiln_fd_write(fd, "first", 5));
  kiln_fd_close(fd);
  assert_int_equal(kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_NEW), -1);
  assert_int_equal(errno, EEXIST);
  fd = kiln_fd_open(path, KILN_OPEN_READ | KILN_OPEN_APPEND);
  assert_int_equal(kiln_fd_write_once(fd, "second", 6), 6);
  char text[32] = "";
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  assert_int_equal(kiln_fd_read(fd, text, sizeof text), 11);
  assert_string_equal(text, "firstsecond");
  assert_int_equal(kiln_fd_read(fd, text, sizeof text), 0);
  kiln_fd_close(fd);
  fd = kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_CREATE | KILN_OPEN_TRUNCATE);
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_size, 0);
  assert_int_equal(kiln_fd_read(fd, text, 1), -1);
  kiln_fd_close(fd);
  kiln_fd_close(-1);
}

static void
test_close_on_exec(void **state)
{
  (void)state;
  int fd = open("/dev/null", O_RDONLY);
  assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  assert_true(kiln_fd_close_on_exec(fd));
  assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  close(fd);
  assert_false(kiln_fd_close_on_exec(fd));
}

static void
test_write_fails_on_a_full_device(void **state)
{
  (void)state;
  int fd = kiln_fd_open("/dev/full", KILN_OPEN_WRITE);
  assert_false(kiln_fd_write(fd, "x", 1));
  assert_int_equal(errno, ENOSPC);
  assert_int_equal(kiln_fd_write_once(fd, "x", 1), -1);
  kiln_fd_close(fd);
}

static void
test_raise_keeps_the_file_and_frees_the_number(void **state)
{
  (void)state;
  uint64_t device, inode, other_device, other_inode;
  int fd = kiln_fd_open("/dev/null", KILN_OPEN_READ);
  assert_true(kiln_fd_identity(fd, &device, &inode));
  int raised = kiln_fd_raise(fd, 300);
  assert_true(raised >= 300);
  assert_int_equal(fcntl(raised, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  assert_false(kiln_fd_identity(fd, &other_device, &other_inode));
  assert_true(kiln_fd_identity(raised, &other_device, &other_inode));
  assert_true(device == other_device && inode == other_inode);
  assert_int_equal(kiln_fd_raise(raised, 1 << 30), -1);
  assert_true(kiln_fd_identity(raised, &device, &inode)); /* still open */
  kiln_fd_close(raised);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static void
test_plain_refuses_links_and_does_not_wait(void **state)
{
  char target[1024];
  const char *path;
  snprintf(target, sizeof target, "%s", scratch_path(*state, "pipe"));
  assert_int_equal(mkfifo(target, 0600), 0);
  int fd = kiln_fd_open(target, KILN_OPEN_READ | KILN_OPEN_PLAIN); /* nobody writes: this would wait for ever */
  assert_true(fd >= 0);
  kiln_fd_close(fd);
  path = scratch_path(*state, "link");
  assert_int_equal(symlink(target, path), 0);
  assert_int_equal(kiln_fd_open(path, KILN_OPEN_READ | KILN_OPEN_PLAIN), -1);
  assert_int_equal(errno, ELOOP);
}

static void
test_info_of_a_descriptor(void **state)
{
  struct kiln_file_info info;
  const char *path = scratch_path(*state, "a");
  int fd = kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_NEW);
  assert_true(kiln_fd_write(fd, "12345", 5));
  assert_int_equal(unlink(path), 0);
  assert_true(kiln_fd_info(fd, &info));
  assert_int_equal(info.kind, KILN_FILE_REGULAR);
  assert_int_equal(info.size, 5);
  assert_int_equal(info.uid, geteuid());
  kiln_fd_close(fd);
  assert_false(kiln_fd_info(fd, &info));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_open_flags),
      TEST(test_close_on_exec),
      TEST(test_raise_keeps_the_file_and_frees_the_number),
      TEST(test_write_fails_on_a_full_device),
      cmocka_unit_test_setup_teardown(test_plain_refuses_links_and_does_not_wait, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_info_of_a_descriptor, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
