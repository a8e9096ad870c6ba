/*
 * link, renameat2 and rename are defined here, so that a file system without links, without exclusive rename, and one
 * that loses an answer can be played.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/publish.h"
#include "unit/os/scratch.h"

static int link_failure, rename2_failure; /* errno to answer with; 0: the real call */
static bool answer_lost;                  /* the link is made and EEXIST is reported */
static int plain_renames;

int
link(const char *from, const char *to)
{
  if (link_failure) {
    errno = link_failure;
    return -1;
  }
  int result = linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  if (answer_lost && result == 0) {
    errno = EEXIST;
    return -1;
  }
  return result;
}

int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
  if (rename2_failure) {
    errno = rename2_failure;
    return -1;
  }
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int
rename(const char *from, const char *to)
{
  plain_renames++;
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

struct pair {
  char file[1024], target[1024];
};

static struct pair
make_pair(void **state)
{
  struct pair pair;
  link_failure = rename2_failure = plain_renames = 0;
  answer_lost = false;
  snprintf(pair.file, sizeof pair.file, "%s", scratch_path(*state, "file"));
  snprintf(pair.target, sizeof pair.target, "%s", scratch_path(*state, "target"));
  assert_int_equal(kiln_file_write(pair.file, "new", 3, NULL), KILN_OK);
  plain_renames = 0;
  return pair;
}

static void
assert_content(const char *path, const char *expected)
{
  struct kiln_buf content;
  kiln_buf_init(&content);
  assert_int_equal(kiln_file_read(path, 100, &content, NULL), KILN_OK);
  assert_string_equal(kiln_buf_text(&content), expected);
  kiln_buf_release(&content);
}

static void
assert_published(const struct pair *pair, bool expect_lost, const char *content)
{
  bool lost = !expect_lost;
  assert_int_equal(kiln_publish(pair->file, pair->target, &lost, NULL), KILN_OK);
  assert_int_equal(lost, expect_lost);
  assert_content(pair->target, content);
  assert_false(kiln_file_exists(pair->file));
}

static void
test_first_one_wins(void **state)
{
  struct pair pair = make_pair(state);
  assert_published(&pair, false, "new");
  assert_int_equal(kiln_file_write(pair.file, "late", 4, NULL), KILN_OK);
  assert_published(&pair, true, "new");
}

static void
test_without_links(void **state)
{
  const int failures[] = {EPERM, EOPNOTSUPP, ENOSYS, EMLINK};
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
    struct pair pair = make_pair(state);
    link_failure = failures[i];
    assert_published(&pair, false, "new");
    assert_int_equal(kiln_file_write(pair.file, "late", 4, NULL), KILN_OK);
    assert_published(&pair, true, "new");
    assert_int_equal(kiln_file_remove(pair.target, NULL), KILN_OK);
  }
}

static void
test_without_links_and_exclusive_rename(void **state)
{
  struct pair pair = make_pair(state);
  link_failure = EPERM;
  rename2_failure = EINVAL;
  assert_published(&pair, false, "new");
  assert_int_equal(plain_renames, 1);
  assert_int_equal(kiln_file_write(pair.file, "late", 4, NULL), KILN_OK);
  plain_renames = 0;
  assert_published(&pair, true, "new");
  assert_int_equal(plain_renames, 0);
}

static void
test_a_lost_answer_is_no_lost_race(void **state)
{
  struct pair pair = make_pair(state);
  answer_lost = true;
  assert_published(&pair, false, "new");
}

static void
test_errors_leave_the_file(void **state)
{
  const struct {
    int failure;
    enum kiln_status status;
  } cases[] = {{EIO, KILN_ERROR_IO}, {ESTALE, KILN_ERROR_IO}, {ENOSPC, KILN_ERROR_ENVIRONMENT},
      {EROFS, KILN_ERROR_ENVIRONMENT}, {EACCES, KILN_ERROR_ENVIRONMENT}, {EXDEV, KILN_ERROR_IO}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct pair pair = make_pair(state);
    struct kiln_error error;
    bool lost = true;
    link_failure = cases[i].failure;
    assert_int_equal(kiln_publish(pair.file, pair.target, &lost, &error), cases[i].status);
    assert_int_equal(error.sys_errno, cases[i].failure);
    assert_non_null(strstr(error.what, pair.target));
    assert_false(lost);
    assert_true(kiln_file_exists(pair.file));
    assert_false(kiln_file_exists(pair.target));
  }
}

static void
test_replace(void **state)
{
  struct pair pair = make_pair(state);
  assert_int_equal(kiln_file_write(pair.target, "old", 3, NULL), KILN_OK);
  struct kiln_file_info before, after;
  assert_int_equal(kiln_file_info(pair.target, &before, NULL), KILN_OK);
  assert_int_equal(kiln_publish_over(pair.file, pair.target, NULL), KILN_OK);
  assert_content(pair.target, "new");
  assert_int_equal(kiln_file_info(pair.target, &after, NULL), KILN_OK);
  assert_int_not_equal(before.inode, after.inode);
  assert_int_equal(kiln_publish_over(pair.file, pair.target, NULL), KILN_ERROR_NOT_FOUND);
}

static void
test_sync(void **state)
{
  struct pair pair = make_pair(state);
  assert_int_equal(kiln_publish_sync(pair.file, NULL), KILN_OK);
  assert_int_equal(kiln_publish_sync(pair.target, NULL), KILN_ERROR_NOT_FOUND);
  char before[1024];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(((struct scratch *)*state)->folder.data), 0);
  enum kiln_status relative = kiln_publish_sync("file", NULL);
  assert_int_equal(chdir(before), 0);
  assert_int_equal(relative, KILN_OK);
}

static void
test_remove_mode_touch(void **state)
{
  struct pair pair = make_pair(state);
  struct kiln_file_info info;
  assert_int_equal(kiln_file_set_mode(pair.file, 0400, NULL), KILN_OK);
  const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  assert_int_equal(utimensat(AT_FDCWD, pair.file, old, 0), 0);
  assert_true(kiln_file_touch(pair.file));
  assert_int_equal(kiln_file_info(pair.file, &info, NULL), KILN_OK);
  assert_int_equal(info.mode, 0400);
  assert_true(info.mtime_ns > 1000ULL * 1000000000);
  assert_int_equal(kiln_file_remove(pair.file, NULL), KILN_OK);
  assert_false(kiln_file_exists(pair.file));
  assert_int_equal(kiln_file_remove(pair.file, NULL), KILN_OK);
  assert_int_equal(kiln_file_set_mode(pair.file, 0400, NULL), KILN_ERROR_NOT_FOUND);
  assert_false(kiln_file_touch(pair.file));
  struct kiln_error error;
  assert_int_not_equal(kiln_file_remove(((struct scratch *)*state)->folder.data, &error), KILN_OK);
  assert_non_null(strstr(error.what, "remove"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_first_one_wins), TEST(test_without_links),
      TEST(test_without_links_and_exclusive_rename), TEST(test_a_lost_answer_is_no_lost_race),
      TEST(test_errors_leave_the_file), TEST(test_replace), TEST(test_sync), TEST(test_remove_mode_touch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
