#include "made.h"

#include <signal.h>

#include "store/place.h"
#include "store/workspace.h"

static void
fill(const struct kiln_workspace *workspace)
{
  char path[1200];
  snprintf(path, sizeof path, "%s/deep", workspace->folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/deep/a.c", workspace->folder);
  assert_int_equal(kiln_file_write(path, "int a;", 6, NULL), KILN_OK);
}

static void
test_each_has_its_own_private_folder(void **state)
{
  struct made *made = *state;
  struct kiln_workspace a, b;
  mode_t mask = umask(0);
  assert_int_equal(kiln_workspace_new(made->store, &a, NULL), KILN_OK);
  assert_int_equal(kiln_workspace_new(made->store, &b, NULL), KILN_OK);
  umask(mask);
  assert_string_not_equal(a.folder, b.folder);
  assert_true(kiln_text_path_within(a.folder, made_path(made, "store/v1/build")));
  assert_int_equal(made_mode(a.folder), 0700);
  fill(&a);
  kiln_workspace_release(&a, NULL);
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 1);
  kiln_workspace_release(&b, NULL);
  kiln_workspace_release(&b, NULL);
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
  assert_int_equal(made->warnings, 0);
}

static void
check_kept(struct made *made, const char *keep_at)
{
  struct kiln_workspace workspace;
  struct kiln_buf content;
  char path[1200];
  kiln_buf_init(&content);
  assert_int_equal(kiln_workspace_new(made->store, &workspace, NULL), KILN_OK);
  fill(&workspace);
  kiln_workspace_release(&workspace, keep_at);
  snprintf(path, sizeof path, "%s/deep/a.c", keep_at);
  assert_int_equal(kiln_file_read(path, 100, &content, NULL), KILN_OK);
  assert_string_equal(content.data, "int a;");
  snprintf(path, sizeof path, "%s/owner", keep_at);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
  kiln_buf_release(&content);
}

static void
test_the_content_can_be_kept(void **state)
{
  struct made *made = *state;
  char keep_at[1024];
  snprintf(keep_at, sizeof keep_at, "%s", made_path(made, "store/workspace/scale"));
  check_kept(made, keep_at);
  check_kept(made, keep_at); /* once more, over what is there */
}

static void
test_it_can_be_kept_on_another_disk(void **state)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  if (kiln_folder_make_private("/dev/shm", "kiln-test-", &folder, NULL) != KILN_OK)
    skip();
  check_kept(*state, folder.data);
  assert_int_equal(kiln_folder_remove(folder.data, NULL), KILN_OK);
  kiln_buf_release(&folder);
}

/* A store that is not trusted is no place to build; the temporary folder is, and the program hears of it once. */
static void
test_the_temporary_folder_is_the_way_out(void **state)
{
  struct made *made = *state;
  struct kiln_workspace a, b;
  struct kiln_error error = {0};
  char folder[1024];
  assert_int_equal(kiln_file_write(made_path(made, "store"), "x", 1, NULL), KILN_OK);
  snprintf(folder, sizeof folder, "%s", made_path(made, "tmp"));
  assert_int_equal(mkdir(folder, 0700), 0);
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  assert_int_equal(kiln_workspace_new(made->store, &a, NULL), KILN_OK);
  assert_int_equal(kiln_workspace_new(made->store, &b, NULL), KILN_OK);
  assert_true(kiln_text_path_within(a.folder, folder));
  assert_int_equal(made->warnings, 1); /* the refused store; that builds go elsewhere follows from it */
  assert_non_null(strstr(made->warning, made_path(made, "store")));
  kiln_workspace_release(&a, NULL);
  kiln_workspace_release(&b, NULL);
  assert_int_equal(made_count_in(folder), 0);
  assert_int_equal(rmdir(folder), 0);
  assert_int_not_equal(kiln_workspace_new(made->store, &a, &error), KILN_OK);
  assert_null(a.folder);
  assert_non_null(strstr(error.what, folder));
  unsetenv("TMPDIR");
}

static void
test_a_forked_child_does_not_remove_it(void **state)
{
  struct made *made = *state;
  struct kiln_workspace workspace;
  assert_int_equal(kiln_workspace_new(made->store, &workspace, NULL), KILN_OK);
  pid_t child = fork();
  if (child == 0) {
    kiln_workspace_release(&workspace, NULL);
    _exit(0);
  }
  assert_int_equal(made_wait(child), 0);
  assert_int_equal(access(workspace.folder, F_OK), 0);
  kiln_workspace_release(&workspace, NULL);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_each_has_its_own_private_folder),
      CASE(test_the_content_can_be_kept),
      CASE(test_it_can_be_kept_on_another_disk),
      CASE(test_the_temporary_folder_is_the_way_out),
      CASE(test_a_forked_child_does_not_remove_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
