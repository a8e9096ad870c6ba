#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/os/scratch.h"

static void
touch(struct scratch *scratch, const char *name)
{
  assert_int_equal(kiln_file_write(scratch_path(scratch, name), "x", 1, NULL), KILN_OK);
}

static void
make(struct scratch *scratch, const char *name)
{
  assert_int_equal(kiln_folder_make(scratch_path(scratch, name), NULL), KILN_OK);
}

static void
test_make_with_parents(void **state)
{
  struct scratch *scratch = *state;
  make(scratch, "a//b/c/");
  make(scratch, "a/b/c");
  struct kiln_file_info info;
  assert_int_equal(kiln_file_info(scratch_path(scratch, "a/b/c"), &info, NULL), KILN_OK);
  assert_int_equal(info.kind, KILN_FILE_FOLDER);
  assert_int_equal(info.mode, 0700);
  touch(scratch, "file");
  struct kiln_error error;
  assert_int_not_equal(kiln_folder_make(scratch_path(scratch, "file"), &error), KILN_OK);
  assert_int_not_equal(kiln_folder_make(scratch_path(scratch, "file/below"), &error), KILN_OK);
  assert_int_not_equal(kiln_folder_make("", &error), KILN_OK);
}

static void
test_make_private(void **state)
{
  struct scratch *scratch = *state;
  struct kiln_buf first, second;
  kiln_buf_init(&first);
  kiln_buf_init(&second);
  assert_int_equal(kiln_folder_make_private(scratch->folder.data, "run-", &first, NULL), KILN_OK);
  assert_int_equal(kiln_folder_make_private(scratch->folder.data, "run-", &second, NULL), KILN_OK);
  assert_string_not_equal(first.data, second.data);
  scratch_path(scratch, "run-");
  assert_int_equal(strncmp(first.data, scratch->path, strlen(scratch->path)), 0);
  struct kiln_file_info info;
  assert_int_equal(kiln_file_info(first.data, &info, NULL), KILN_OK);
  assert_int_equal(info.mode, 0700);
  kiln_buf_clear(&first);
  assert_int_equal(kiln_folder_make_private(scratch_path(scratch, "none"), "x", &first, NULL), KILN_ERROR_NOT_FOUND);
  assert_int_equal(first.len, 0);
  kiln_buf_release(&first);
  kiln_buf_release(&second);
}

static void
test_remove_spares_what_links_name(void **state)
{
  struct scratch *scratch = *state;
  char target[1100];
  make(scratch, "outside");
  touch(scratch, "outside/kept");
  snprintf(target, sizeof target, "%s", scratch_path(scratch, "outside"));
  make(scratch, "tree/sub/deep");
  touch(scratch, "tree/sub/deep/file");
  assert_int_equal(symlink(target, scratch_path(scratch, "tree/link")), 0);
  assert_int_equal(symlink(target, scratch_path(scratch, "rootlink")), 0);
  assert_int_equal(chmod(scratch_path(scratch, "tree/sub/deep"), 0), 0);
  assert_int_equal(chmod(scratch_path(scratch, "tree/sub"), 0500), 0);
  assert_int_equal(kiln_folder_remove(scratch_path(scratch, "tree"), NULL), KILN_OK);
  assert_false(kiln_file_exists(scratch_path(scratch, "tree")));
  assert_int_equal(kiln_folder_remove(scratch_path(scratch, "rootlink"), NULL), KILN_OK);
  assert_false(kiln_file_exists(scratch_path(scratch, "rootlink")));
  assert_true(kiln_file_exists(scratch_path(scratch, "outside/kept")));
}

static void
test_remove_what_is_gone(void **state)
{
  struct scratch *scratch = *state;
  assert_int_equal(kiln_folder_remove(scratch_path(scratch, "absent"), NULL), KILN_OK);
  assert_int_equal(kiln_folder_remove(scratch_path(scratch, "absent/below"), NULL), KILN_OK);
}

static void
test_remove_many(void **state)
{
  struct scratch *scratch = *state;
  char name[64];
  make(scratch, "many");
  for (int i = 0; i < 2000; i++) {
    snprintf(name, sizeof name, "many/%d", i);
    assert_int_equal(symlink("x", scratch_path(scratch, name)), 0);
  }
  assert_int_equal(kiln_folder_remove(scratch_path(scratch, "many"), NULL), KILN_OK);
  assert_false(kiln_file_exists(scratch_path(scratch, "many")));
}

static void
test_temporary(void **state)
{
  (void)state;
  const char *old = getenv("TMPDIR");
  char *saved = old ? strdup(old) : NULL;
  setenv("TMPDIR", "/somewhere", 1);
  assert_string_equal(kiln_folder_temporary(), "/somewhere");
  setenv("TMPDIR", "", 1);
  assert_string_equal(kiln_folder_temporary(), "/tmp");
  unsetenv("TMPDIR");
  assert_string_equal(kiln_folder_temporary(), "/tmp");
  if (saved)
    setenv("TMPDIR", saved, 1);
  free(saved);
}

struct seen {
  const char *root;
  char list[1024]; /* "name " for each, with "/" behind folders and "@" behind links; sorted by nothing */
  const char *closed;
};

static bool
note(void *context, const char *path, const struct kiln_file_info *info)
{
  struct seen *seen = context;
  const char *name = path + strlen(seen->root) + 1;
  assert_int_equal(strncmp(path, seen->root, strlen(seen->root)), 0);
  const char *mark = info->kind == KILN_FILE_FOLDER ? "/" : info->kind == KILN_FILE_LINK ? "@" : "";
  size_t len = strlen(seen->list);
  snprintf(seen->list + len, sizeof seen->list - len, "%s%s ", name, mark);
  return !seen->closed || strcmp(name, seen->closed) != 0;
}

static void
test_walk(void **state)
{
  struct scratch *scratch = *state;
  make(scratch, "a/b");
  touch(scratch, "a/b/file");
  assert_int_equal(symlink("..", scratch_path(scratch, "a/up")), 0);
  struct seen all = {.root = scratch->folder.data};
  assert_int_equal(kiln_folder_walk(scratch->folder.data, 0, note, &all, NULL), KILN_OK);
  assert_non_null(strstr(all.list, "a/b/file "));
  assert_non_null(strstr(all.list, "a/up@ "));
  assert_true(strstr(all.list, "a/ ") < strstr(all.list, "a/b/ "));
  assert_true(strstr(all.list, "a/b/ ") < strstr(all.list, "a/b/file "));
  assert_null(strstr(all.list, "up/"));
  struct seen one = {.root = scratch->folder.data};
  assert_int_equal(kiln_folder_walk(scratch->folder.data, 1, note, &one, NULL), KILN_OK);
  assert_string_equal(one.list, "a/ ");
  struct seen closed = {.root = scratch->folder.data, .closed = "a/b"};
  assert_int_equal(kiln_folder_walk(scratch->folder.data, 0, note, &closed, NULL), KILN_OK);
  assert_non_null(strstr(closed.list, "a/b/ "));
  assert_null(strstr(closed.list, "file"));
}

static void
test_walk_missing_root_is_empty(void **state)
{
  struct scratch *scratch = *state;
  struct seen seen = {.root = scratch->folder.data};
  assert_int_equal(kiln_folder_walk(scratch_path(scratch, "absent"), 0, note, &seen, NULL), KILN_OK);
  touch(scratch, "file");
  assert_int_equal(kiln_folder_walk(scratch_path(scratch, "file"), 0, note, &seen, NULL), KILN_OK);
  assert_string_equal(seen.list, "");
}

/* What cannot be read is passed over and reported, the rest is still seen. */
static void
test_walk_goes_on_behind_an_error(void **state)
{
  struct scratch *scratch = *state;
  if (geteuid() == 0)
    skip();
  make(scratch, "closed");
  make(scratch, "open");
  touch(scratch, "open/file");
  assert_int_equal(chmod(scratch_path(scratch, "closed"), 0), 0);
  struct seen seen = {.root = scratch->folder.data};
  struct kiln_error error;
  assert_int_equal(kiln_folder_walk(scratch->folder.data, 0, note, &seen, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, "/closed'"));
  assert_non_null(strstr(seen.list, "open/file"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static void
test_only_an_empty_folder_is_removed_as_such(void **state)
{
  const char *path = scratch_path(*state, "a/b");
  assert_int_equal(kiln_folder_make(path, NULL), KILN_OK);
  assert_false(kiln_folder_remove_empty(scratch_path(*state, "a")));
  assert_true(kiln_folder_remove_empty(scratch_path(*state, "a/b")));
  assert_true(kiln_folder_remove_empty(scratch_path(*state, "a")));
  assert_false(kiln_folder_remove_empty(scratch_path(*state, "a")));
}

static void
test_who_may_write_in_a_folder(void **state)
{
  struct scratch *scratch = *state;
  assert_true(kiln_folder_writable(scratch->folder.data));
  assert_false(kiln_folder_writable(scratch_path(scratch, "none")));
  assert_false(kiln_folder_writable("/proc/sys"));
}

static bool
take_name(void *context, const char *name)
{
  size_t *found = context;
  *found += strcmp(name, "one") == 0 || strcmp(name, "two") == 0 ? 1 : 100;
  return *found < 2;
}

static void
test_names_without_a_look(void **state)
{
  struct scratch *scratch = *state;
  size_t found = 0;
  make(scratch, "names");
  assert_int_not_equal(kiln_folder_make_new(scratch_path(scratch, "names"), NULL), KILN_OK);
  touch(scratch, "names/one");
  make(scratch, "names/two");
  kiln_folder_names(scratch_path(scratch, "names"), take_name, &found);
  assert_int_equal(found, 2);
  kiln_folder_names(scratch_path(scratch, "none"), take_name, &found);
  assert_int_equal(found, 2);
}

static void
test_the_mark_of_a_folder_goes_last(void **state)
{
  struct scratch *scratch = *state;
  make(scratch, "marked/below");
  touch(scratch, "marked/owner");
  touch(scratch, "marked/below/file");
  assert_int_equal(kiln_folder_remove_marked(scratch_path(scratch, "marked"), "owner", NULL), KILN_OK);
  assert_false(kiln_file_exists(scratch_path(scratch, "marked")));
  assert_int_equal(kiln_folder_remove_marked(scratch_path(scratch, "marked"), "owner", NULL), KILN_OK);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_make_with_parents),
      TEST(test_make_private),
      TEST(test_remove_spares_what_links_name),
      TEST(test_remove_what_is_gone),
      TEST(test_remove_many),
      TEST(test_temporary),
      TEST(test_walk),
      TEST(test_walk_missing_root_is_empty),
      TEST(test_walk_goes_on_behind_an_error),
      cmocka_unit_test_setup_teardown(test_only_an_empty_folder_is_removed_as_such, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_who_may_write_in_a_folder, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_names_without_a_look, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_the_mark_of_a_folder_goes_last, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
