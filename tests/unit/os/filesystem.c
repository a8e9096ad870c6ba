/* statfs is defined here, so that other file systems can be played. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/filesystem.h"
#include "unit/os/scratch.h"

static const struct statfs *played;

int
statfs(const char *path, struct statfs *status)
{
  int result = (int)syscall(SYS_statfs, path, status);
  if (result == 0 && played)
    *status = *played;
  return result;
}

static void
test_kinds(void **state)
{
  const struct {
    unsigned long magic;
    const char *type;
    bool network;
  } cases[] = {{0xEF53, "ext4", false}, {0x01021994, "tmpfs", false}, {0x6969, "nfs", true}, {0xFF534D42, "cifs", true},
      {0x0BD00BD0, "lustre", true}, {0x47504653, "gpfs", true}, {0x65735546, "fuse", true}, {0x1234, "0x1234", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct statfs status = {.f_bsize = 4096, .f_bavail = 3, .f_ffree = 5};
    struct statfs copy = status;
    copy.f_type = (long)cases[i].magic;
    played = &copy;
    struct kiln_filesystem found;
    assert_true(kiln_filesystem_of(((struct scratch *)*state)->folder.data, &found));
    played = NULL;
    assert_string_equal(found.type, cases[i].type);
    assert_int_equal(found.network, cases[i].network);
    assert_int_equal(found.free_bytes, 3 * 4096);
    assert_int_equal(found.free_files, 5);
    assert_false(found.noexec || found.read_only);
  }
}

static void
test_flags(void **state)
{
  struct statfs status = {.f_bsize = 4096, .f_flags = ST_NOEXEC};
  struct kiln_filesystem found;
  played = &status;
  assert_true(kiln_filesystem_of(((struct scratch *)*state)->folder.data, &found));
  assert_true(found.noexec && !found.read_only);
  status.f_flags = ST_RDONLY;
  assert_true(kiln_filesystem_of(((struct scratch *)*state)->folder.data, &found));
  assert_true(found.read_only && !found.noexec);
  played = NULL;
}

static void
test_nearest_ancestor(void **state)
{
  const char *root = ((struct scratch *)*state)->folder.data;
  struct kiln_filesystem here, below, file, relative, proc, missing;
  assert_true(kiln_filesystem_of(root, &here));
  assert_true(kiln_filesystem_of(scratch_path(*state, "not//there/yet/"), &below));
  assert_string_equal(here.type, below.type);
  assert_int_equal(kiln_file_write(scratch_path(*state, "file"), "", 0, NULL), KILN_OK);
  assert_true(kiln_filesystem_of(scratch_path(*state, "file/below"), &file));
  assert_string_equal(here.type, file.type);
  assert_true(kiln_filesystem_of("not-there/at-all", &relative));
  assert_true(kiln_filesystem_of("/not-there", &missing));
  assert_true(kiln_filesystem_of("/proc/self/not-there", &proc));
  assert_string_equal(proc.type, "proc");
  assert_false(kiln_filesystem_of("", &here));
}

/* Both ways of asking agree; the reason quotes the path. */
static bool
trusted(const char *path)
{
  char reason[2048] = "", reason_fd[2048] = "";
  bool by_path = kiln_owner_trusted(path, reason, sizeof reason);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0) {
    struct kiln_file_info info;
    assert_true(kiln_fd_info(fd, &info));
    assert_int_equal(kiln_owner_trusted_info(&info, path, reason_fd, sizeof reason_fd), by_path);
    assert_string_equal(reason, reason_fd);
    close(fd);
  }
  if (!by_path)
    assert_non_null(strstr(reason, path));
  return by_path;
}

static void
test_modes(void **state)
{
  const struct {
    unsigned mode;
    bool trusted;
  } cases[] = {{0600, true}, {0400, true}, {0755, true}, {0444, true}, {0620, false}, {0602, false}, {0666, false},
      {01622, false}};
  const char *path = scratch_path(*state, "file");
  assert_int_equal(kiln_file_write(path, "", 0, NULL), KILN_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(chmod(path, cases[i].mode), 0);
    assert_int_equal(trusted(path), cases[i].trusted);
  }
}

static void
test_folders_and_links(void **state)
{
  const char *folder = scratch_path(*state, "folder");
  assert_int_equal(mkdir(folder, 0700), 0);
  assert_true(trusted(folder));
  assert_int_equal(chmod(folder, 0777), 0);
  assert_false(trusted(folder));
  assert_int_equal(chmod(folder, 01777), 0);
  assert_int_equal(trusted(folder), geteuid() == 0); /* sticky, but it must be root's */
  const char *link = scratch_path(*state, "link");
  assert_int_equal(symlink("folder", link), 0);
  assert_false(trusted(link));
  assert_false(trusted(scratch_path(*state, "missing")));
}

static void
test_foreign_owner(void **state)
{
  if (geteuid() != 0)
    skip();
  const char *path = scratch_path(*state, "foreign");
  assert_int_equal(kiln_file_write(path, "", 0, NULL), KILN_OK);
  assert_true(trusted(path));
  assert_int_equal(chown(path, 12345, 0), 0);
  assert_false(trusted(path));
  char reason[600];
  assert_false(kiln_owner_trusted(path, reason, sizeof reason));
  assert_non_null(strstr(reason, "12345"));
  char cut[8];
  assert_false(kiln_owner_trusted(path, cut, sizeof cut));
  assert_int_equal(strlen(cut), sizeof cut - 1);
}

static void
test_host_name(void **state)
{
  (void)state;
  char name[128], expected[256] = "";
  assert_int_equal(gethostname(expected, sizeof expected - 1), 0);
  kiln_host_name(name);
  assert_int_equal(strncmp(name, expected, sizeof name - 1), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_kinds), TEST(test_flags), TEST(test_nearest_ancestor), TEST(test_modes),
      TEST(test_folders_and_links), TEST(test_foreign_owner), TEST(test_host_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
