#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/module.h"
#include "unit/os/native.h"
#include "unit/os/scratch.h"

static int
open_made(void **state, int answer)
{
  const char *path = scratch_path(*state, "made.so");
  assert_true(native_make(path, answer));
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(unlink(path), 0);
  return fd;
}

static struct kiln_native *
load_and_close(int fd)
{
  struct kiln_native *module;
  struct kiln_error error;
  bool noexec;
  if (kiln_native_open_fd(fd, &module, &noexec, &error) != KILN_OK)
    fail_msg("%s", error.what);
  assert_false(noexec);
  close(fd);
  return module;
}

static int
answer_of(struct kiln_native *module)
{
  void *address = kiln_native_symbol(module, "answer");
  assert_non_null(address);
  return native_call(address);
}

static void
test_load_and_call(void **state)
{
  struct kiln_native *module = load_and_close(open_made(state, 7));
  assert_int_equal(answer_of(module), 7);
  assert_non_null(kiln_native_symbol(module, "counter"));
  assert_null(kiln_native_symbol(module, "nobody"));
  kiln_native_close(module);
  kiln_native_close(NULL);
}

static void
test_symbols_of_its_libraries_are_not_its_own(void **state)
{
  const char *path = scratch_path(*state, "uses.so");
  assert_true(native_compile(path, "#include <stdlib.h>\nint answer(void) { return abs(atoi(\"-3\")); }\n", ""));
  struct kiln_native *module = load_and_close(open(path, O_RDONLY | O_CLOEXEC));
  assert_int_equal(answer_of(module), 3);
  assert_null(kiln_native_symbol(module, "atoi"));
  kiln_native_close(module);
}

/* The loader would take the second for the first, if both were spelled by a descriptor of one number. */
static void
test_one_descriptor_number_twice(void **state)
{
  struct kiln_native *modules[6];
  for (int i = 0; i < 6; i++)
    modules[i] = load_and_close(open_made(state, i));
  for (int i = 0; i < 6; i++)
    assert_int_equal(answer_of(modules[i]), i);
  for (int i = 0; i < 6; i++)
    kiln_native_close(modules[i]);
}

/* A library that is never unmapped keeps its spelling for ever, also when its descriptor is closed. */
static void
test_after_a_library_that_stays(void **state)
{
  for (int i = 0; i < 4; i++) {
    const char *path = scratch_path(*state, "stays.so");
    char text[100];
    snprintf(text, sizeof text, "int answer(void) { return %d; }\n", 40 + i);
    assert_true(native_compile(path, text, "-Wl,-z,nodelete"));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(unlink(path), 0);
    struct kiln_native *module = load_and_close(fd);
    assert_int_equal(answer_of(module), 40 + i);
    kiln_native_close(module);
  }
}

/* How many descriptors are open, and how many of them a child program would inherit. */
static void
count_descriptors(int *open_now, int *inherited)
{
  *open_now = *inherited = 0;
  for (int fd = 0; fd < 256; fd++) {
    int flags = fcntl(fd, F_GETFD);
    *open_now += flags >= 0;
    *inherited += flags >= 0 && !(flags & FD_CLOEXEC);
  }
}

static void
test_one_descriptor_as_long_as_it_is_loaded(void **state)
{
  int before, during, after, inherited, inherited_during;
  count_descriptors(&before, &inherited);
  struct kiln_native *module = load_and_close(open_made(state, 1));
  count_descriptors(&during, &inherited_during);
  kiln_native_close(module);
  count_descriptors(&after, &inherited);
  assert_int_equal(during, before + 1);
  assert_int_equal(inherited_during, inherited);
  assert_int_equal(after, before);
}

static void
test_memory(void **state)
{
  struct kiln_buf bytes;
  struct kiln_native *module;
  char name[400];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  kiln_buf_init(&bytes);
  const char *path = scratch_path(*state, "made.so");
  assert_true(native_make(path, 9));
  assert_int_equal(kiln_file_read(path, 1 << 20, &bytes, NULL), KILN_OK);
  assert_int_equal(kiln_native_open_memory(bytes.data, bytes.len, name, &module, NULL), KILN_OK);
  memset(bytes.data, 0, bytes.len); /* it is a copy */
  assert_int_equal(answer_of(module), 9);
  kiln_native_close(module);
  kiln_buf_release(&bytes);
}

static void
test_what_is_no_library(void **state)
{
  struct kiln_native *module;
  struct kiln_error error;
  bool noexec = true;
  const char *path = scratch_path(*state, "text");
  const char *contents[] = {"", "this is no library", "\177ELF"};
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
    assert_int_equal(kiln_file_write(path, contents[i], strlen(contents[i]), NULL), KILN_OK);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(kiln_native_open_fd(fd, &module, &noexec, &error), KILN_ERROR_FORMAT);
    close(fd);
    assert_null(module);
    assert_false(noexec);
    assert_int_equal(
        kiln_native_open_memory(contents[i], strlen(contents[i]), "text", &module, &error), KILN_ERROR_FORMAT);
    assert_non_null(strstr(error.what, "text"));
  }
  assert_int_not_equal(kiln_native_open_fd(-1, &module, &noexec, NULL), KILN_OK);
}

static void
test_missing_symbol_is_found_at_load(void **state)
{
  struct kiln_native *module;
  struct kiln_error error;
  bool noexec;
  const char *path = scratch_path(*state, "lacks.so");
  assert_true(native_compile(path, "int lacking(void);\nint answer(void) { return lacking(); }\n", ""));
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_int_equal(kiln_native_open_fd(fd, &module, &noexec, &error), KILN_ERROR_FORMAT);
  close(fd);
  assert_non_null(strstr(error.what, "lacking"));
}

static bool
write_self(const char *name, const char *text)
{
  char path[40];
  snprintf(path, sizeof path, "/proc/self/%s", name);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  bool written = fd >= 0 && write(fd, text, strlen(text)) > 0;
  close(fd);
  return written;
}

/* A mount namespace of its own; who is not root needs a user namespace too, and must be somebody in it. */
static bool
enter_namespace(void)
{
  char users[40], groups[40];
  if (geteuid() == 0)
    return unshare(CLONE_NEWNS) == 0;
  snprintf(users, sizeof users, "%d %d 1", (int)geteuid(), (int)geteuid());
  snprintf(groups, sizeof groups, "%d %d 1", (int)getegid(), (int)getegid());
  return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 && write_self("setgroups", "deny") && write_self("uid_map", users) &&
         write_self("gid_map", groups);
}

/* In a mount namespace of its own. Exit status: 0 as expected, 77 not possible here. */
static int
try_noexec(const char *folder, const char *library)
{
  if (!enter_namespace() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", MS_NOEXEC, NULL) != 0)
    return 77;
  struct kiln_buf bytes;
  kiln_buf_init(&bytes);
  char path[1200];
  snprintf(path, sizeof path, "%s/copy.so", folder);
  if (kiln_file_read(library, 1 << 20, &bytes, NULL) != KILN_OK ||
      kiln_file_write(path, bytes.data, bytes.len, NULL) != KILN_OK)
    return 1;
  struct kiln_native *module;
  struct kiln_error error;
  bool noexec = false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (kiln_native_open_fd(fd, &module, &noexec, &error) != KILN_ERROR_ENVIRONMENT || !noexec || module ||
      !strstr(error.remedy, "KILN_CACHE_DIR"))
    return 2;
  if (kiln_native_open_memory(bytes.data, bytes.len, "copy", &module, NULL) != KILN_OK)
    return 3;
  void *address = kiln_native_symbol(module, "answer");
  return address && native_call(address) == 5 ? 0 : 4;
}

static void
test_noexec(void **state)
{
  char folder[1024], library[1024];
  snprintf(folder, sizeof folder, "%s", scratch_path(*state, "mount"));
  snprintf(library, sizeof library, "%s", scratch_path(*state, "made.so"));
  assert_int_equal(kiln_folder_make(folder, NULL), KILN_OK);
  assert_true(native_make(library, 5));
  pid_t pid = fork();
  if (pid == 0)
    _exit(try_noexec(folder, library));
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    skip();
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void
test_own_folder(void **state)
{
  (void)state;
  struct kiln_buf folder;
  char program[4096] = "";
  assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  *strrchr(program, '/') = '\0';
  kiln_buf_init(&folder);
  kiln_buf_text_append(&folder, "in:");
  assert_true(kiln_native_own_folder(&folder));
  assert_string_equal(folder.data + 3, program);
  assert_int_equal(folder.len, strlen(folder.data));
  kiln_buf_release(&folder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_load_and_call), TEST(test_symbols_of_its_libraries_are_not_its_own),
      TEST(test_one_descriptor_number_twice), TEST(test_after_a_library_that_stays),
      TEST(test_one_descriptor_as_long_as_it_is_loaded), TEST(test_memory), TEST(test_what_is_no_library),
      TEST(test_missing_symbol_is_found_at_load), TEST(test_noexec), TEST(test_own_folder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
