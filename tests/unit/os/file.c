#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "unit/os/scratch.h"

static int visited;

static bool
count_visit(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)context;
  (void)path;
  (void)info;
  visited++;
  return true;
}

static int
entries_in(const char *folder)
{
  visited = 0;
  assert_int_equal(kiln_folder_walk(folder, 1, count_visit, NULL, NULL), KILN_OK);
  return visited;
}

static void
expect_content(const char *path, const char *content)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  assert_int_equal(kiln_file_read(path, 1000, &buf, NULL), KILN_OK);
  assert_string_equal(kiln_buf_text(&buf), content);
  kiln_buf_release(&buf);
}

static void
test_write_then_read(void **state)
{
  const char *path = scratch_path(*state, "a");
  struct scratch *scratch = *state;
  assert_int_equal(kiln_file_write(path, "one", 3, NULL), KILN_OK);
  expect_content(path, "one");
  assert_int_equal(chmod(path, 0640), 0);
  assert_int_equal(kiln_file_write(path, "two!", 4, NULL), KILN_OK);
  expect_content(path, "two!");
  struct kiln_file_info info;
  assert_int_equal(kiln_file_info(path, &info, NULL), KILN_OK);
  assert_int_equal(info.mode, 0640);
  assert_int_equal(info.size, 4);
  assert_int_equal(info.kind, KILN_FILE_REGULAR);
  assert_int_equal(info.uid, geteuid());
  assert_int_equal(entries_in(scratch->folder.data), 1);
}

/* The old file stays whole for who has it open: it is replaced, not written over. */
static void
test_write_replaces(void **state)
{
  const char *path = scratch_path(*state, "a");
  assert_int_equal(kiln_file_write(path, "old", 3, NULL), KILN_OK);
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  assert_true(fd >= 0);
  assert_int_equal(kiln_file_write(path, "new", 3, NULL), KILN_OK);
  char text[8] = "";
  assert_int_equal(kiln_fd_read(fd, text, sizeof text), 3);
  assert_string_equal(text, "old");
  kiln_fd_close(fd);
}

static void
test_write_goes_through_a_link(void **state)
{
  char link[1100];
  const char *path = scratch_path(*state, "a");
  snprintf(link, sizeof link, "%s.link", path);
  assert_int_equal(kiln_file_write(path, "old", 3, NULL), KILN_OK);
  assert_int_equal(symlink("a", link), 0);
  assert_int_equal(kiln_file_write(link, "new", 3, NULL), KILN_OK);
  expect_content(path, "new");
  struct kiln_file_info info;
  assert_int_equal(kiln_file_info(link, &info, NULL), KILN_OK);
  assert_int_equal(info.kind, KILN_FILE_LINK);
}

/* Never tried on a device of the machine: a broken kiln_file_write would replace it. */
static void
test_what_is_no_file_is_written_in_place(void **state)
{
  const char *path = scratch_path(*state, "pipe");
  char text[8] = "";
  struct kiln_file_info info;
  assert_int_equal(mkfifo(path, 0600), 0);
  int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(kiln_file_check_writable(path, NULL), KILN_OK);
  assert_int_equal(kiln_file_write(path, "new", 3, NULL), KILN_OK);
  assert_int_equal(kiln_file_info(path, &info, NULL), KILN_OK);
  assert_int_equal(info.kind, KILN_FILE_OTHER);
  assert_int_equal(read(fd, text, sizeof text), 3);
  assert_string_equal(text, "new");
  close(fd);
}

/* A device of our own that is always full; where none can be made or opened there is nothing to test. */
static void
test_full_disk_is_the_environment(void **state)
{
  const char *path = scratch_path(*state, "full");
  struct kiln_error error;
  int fd = -1;
  if (mknod(path, S_IFCHR | 0600, makedev(1, 7)) == 0)
    fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    skip();
  close(fd);
  assert_int_equal(kiln_file_write(path, "x", 1, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, path));
  assert_non_null(strstr(error.remedy, "space"));
}

static void
test_check_writable_leaves_no_trace(void **state)
{
  struct scratch *scratch = *state;
  assert_int_equal(kiln_file_check_writable(scratch_path(scratch, "new.json"), NULL), KILN_OK);
  assert_int_equal(entries_in(scratch->folder.data), 0);
  assert_int_equal(kiln_file_write(scratch_path(scratch, "old.json"), "keep", 4, NULL), KILN_OK);
  assert_int_equal(kiln_file_check_writable(scratch_path(scratch, "old.json"), NULL), KILN_OK);
  expect_content(scratch_path(scratch, "old.json"), "keep");
}

static void
test_check_writable_refuses(void **state)
{
  struct scratch *scratch = *state;
  struct kiln_error error;
  const char *path = scratch_path(scratch, "no/such/folder.json");
  assert_int_equal(kiln_file_check_writable(path, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, path));
  assert_int_not_equal(kiln_file_check_writable(scratch->folder.data, NULL), KILN_OK);
  assert_int_not_equal(kiln_file_check_writable(scratch_path(scratch, "x/"), NULL), KILN_OK);
  assert_int_not_equal(kiln_file_check_writable("", NULL), KILN_OK);
  char name[400];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  assert_int_not_equal(kiln_file_check_writable(scratch_path(scratch, name), NULL), KILN_OK);
  name[255] = '\0';
  assert_int_equal(kiln_file_check_writable(scratch_path(scratch, name), NULL), KILN_OK);
  assert_int_equal(kiln_file_write(scratch_path(scratch, name), "x", 1, NULL), KILN_OK);
  path = scratch_path(scratch, "no/such/folder.json");
  assert_int_equal(kiln_file_write(path, "x", 1, NULL), KILN_ERROR_NOT_FOUND);
}

static void
test_refused_permission(void **state)
{
  struct scratch *scratch = *state;
  if (geteuid() == 0)
    skip(); /* root may write everywhere */
  assert_int_equal(chmod(scratch->folder.data, 0500), 0);
  enum kiln_status status = kiln_file_check_writable(scratch_path(scratch, "x"), NULL);
  assert_int_equal(chmod(scratch->folder.data, 0700), 0);
  assert_int_equal(status, KILN_ERROR_ENVIRONMENT);
}

static void
test_read_is_bounded(void **state)
{
  const char *path = scratch_path(*state, "a");
  struct kiln_buf buf;
  struct kiln_error error;
  kiln_buf_init(&buf);
  kiln_buf_text_append(&buf, "before ");
  assert_int_equal(kiln_file_write(path, "12345", 5, NULL), KILN_OK);
  assert_int_equal(kiln_file_read(path, 4, &buf, &error), KILN_ERROR_FORMAT);
  assert_string_equal(buf.data, "before ");
  assert_int_equal(kiln_file_read(path, 5, &buf, NULL), KILN_OK);
  assert_string_equal(buf.data, "before 12345");
  /* A file that does not know its size is bounded while it is read. */
  assert_int_equal(kiln_file_read("/dev/zero", 100000, &buf, NULL), KILN_ERROR_FORMAT);
  assert_string_equal(buf.data, "before 12345");
  assert_int_equal(kiln_file_read("/proc/self/status", 100000, &buf, NULL), KILN_OK);
  assert_non_null(strstr(buf.data, "12345Name:"));
  kiln_buf_release(&buf);
}

static void
test_read_refuses(void **state)
{
  struct scratch *scratch = *state;
  struct kiln_buf buf;
  struct kiln_error error;
  kiln_buf_init(&buf);
  const char *path = scratch_path(scratch, "absent");
  assert_int_equal(kiln_file_read(path, 10, &buf, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, path));
  assert_int_equal(kiln_file_read(scratch->folder.data, 10, &buf, &error), KILN_ERROR_IO);
  kiln_buf_release(&buf);
}

static void
test_questions(void **state)
{
  struct scratch *scratch = *state;
  const char *path = scratch_path(scratch, "a");
  assert_false(kiln_file_exists(path));
  assert_int_equal(symlink("nowhere", path), 0);
  assert_true(kiln_file_exists(path));
  assert_false(kiln_file_executable(path));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(kiln_file_write(path, "x", 1, NULL), KILN_OK);
  assert_false(kiln_file_executable(path));
  assert_int_equal(chmod(path, 0700), 0);
  assert_true(kiln_file_executable(path));
  assert_false(kiln_file_executable(scratch->folder.data));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static void
test_info_behind_a_link(void **state)
{
  struct kiln_file_info info;
  assert_int_equal(kiln_file_write(scratch_path(*state, "real"), "12345", 5, NULL), KILN_OK);
  const char *link = scratch_path(*state, "link");
  assert_int_equal(symlink("real", link), 0);
  assert_int_equal(kiln_file_info(link, &info, NULL), KILN_OK);
  assert_int_equal(info.kind, KILN_FILE_LINK);
  assert_int_equal(kiln_file_target_info(link, &info, NULL), KILN_OK);
  assert_int_equal(info.kind, KILN_FILE_REGULAR);
  assert_int_equal(info.size, 5);
  assert_int_equal(unlink(scratch_path(*state, "real")), 0);
  assert_int_equal(kiln_file_target_info(scratch_path(*state, "link"), &info, NULL), KILN_ERROR_NOT_FOUND);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_write_then_read),
      TEST(test_write_replaces),
      TEST(test_write_goes_through_a_link),
      TEST(test_what_is_no_file_is_written_in_place),
      TEST(test_full_disk_is_the_environment),
      TEST(test_check_writable_leaves_no_trace),
      TEST(test_check_writable_refuses),
      TEST(test_refused_permission),
      TEST(test_read_is_bounded),
      TEST(test_read_refuses),
      TEST(test_questions),
      cmocka_unit_test_setup_teardown(test_info_behind_a_link, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
