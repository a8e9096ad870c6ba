#include "made.h"

#include "base/arena.h"
#include "store/request.h"

struct tree {
  struct made *made;
  struct kiln_request_record record;
  char root[1024];
  const char *roots[1];
};

static void
put(struct tree *tree, const char *name, const char *content, long age)
{
  char path[1200];
  snprintf(path, sizeof path, "%s/%s", tree->root, name);
  assert_int_equal(kiln_file_write(path, content, strlen(content), NULL), KILN_OK);
  made_age(path, age);
}

static void
tree_init(struct tree *tree, struct made *made)
{
  *tree = (struct tree){.made = made};
  snprintf(tree->root, sizeof tree->root, "%s", made_path(made, "tree"));
  assert_int_equal(mkdir(tree->root, 0700), 0);
  tree->roots[0] = tree->root;
  put(tree, "a.h", "one", 100);
  kiln_request_record_init(&tree->record);
  assert_true(KILN_GROW(tree->record.dependencies, tree->record.count, tree->record.capacity));
  tree->record.dependencies[tree->record.count++] =
      (struct kiln_dependency){.root = 0, .path = strdup("a.h"), .content = made_key("one")};
}

static bool
refresh(struct tree *tree)
{
  bool changed;
  assert_int_equal(kiln_request_refresh(&tree->record, tree->roots, 1, &changed, NULL), KILN_OK);
  return changed;
}

static void
test_content_decides_when_the_rest_moved(void **state)
{
  struct tree tree;
  tree_init(&tree, *state);
  assert_false(refresh(&tree));
  assert_int_equal(tree.record.dependencies[0].size, 3);
  put(&tree, "a.h", "one", 50);
  assert_false(refresh(&tree));
  put(&tree, "a.h", "two", 25);
  assert_true(refresh(&tree));
  struct kiln_digest two = made_key("two");
  assert_true(kiln_digest_equal(&tree.record.dependencies[0].content, &two));
  assert_false(refresh(&tree));
  kiln_request_record_release(&tree.record);
}

static void
test_a_moved_tree_is_the_same(void **state)
{
  struct tree tree;
  char moved[1024];
  tree_init(&tree, *state);
  assert_false(refresh(&tree));
  snprintf(moved, sizeof moved, "%s", made_path(tree.made, "moved"));
  assert_int_equal(rename(tree.root, moved), 0);
  tree.roots[0] = moved;
  assert_false(refresh(&tree));
  kiln_request_record_release(&tree.record);
}

/* Nothing is read when size, inode and time are as recorded: an unreadable content would be noticed otherwise. */
static void
test_an_unmoved_file_is_not_read(void **state)
{
  struct tree tree;
  char path[1200];
  struct stat status;
  tree_init(&tree, *state);
  assert_false(refresh(&tree));
  snprintf(path, sizeof path, "%s/a.h", tree.root);
  assert_int_equal(stat(path, &status), 0);
  int fd = open(path, O_WRONLY);
  assert_int_equal(pwrite(fd, "two", 3, 0), 3);
  close(fd);
  struct timespec times[2] = {status.st_atim, status.st_mtim};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
  assert_false(refresh(&tree));
  kiln_request_record_release(&tree.record);
}

/* A file written just now may change again within one tick of the clock: its time is not believed. */
static void
test_a_fresh_time_is_not_believed(void **state)
{
  struct tree tree;
  tree_init(&tree, *state);
  put(&tree, "a.h", "one", -60);
  assert_false(refresh(&tree));
  assert_int_equal(tree.record.dependencies[0].mtime_ns, 0);
  made_age(made_path(tree.made, "tree/a.h"), 60);
  assert_false(refresh(&tree));
  assert_int_not_equal(tree.record.dependencies[0].mtime_ns, 0);
  kiln_request_record_release(&tree.record);
}

/* The file behind a link counts, not the link. */
static void
test_a_link_is_followed(void **state)
{
  struct tree tree;
  char path[1200];
  tree_init(&tree, *state);
  put(&tree, "real.h", "one", 100);
  snprintf(path, sizeof path, "%s/a.h", tree.root);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink("real.h", path), 0);
  made_age(path, 100);
  assert_false(refresh(&tree));
  put(&tree, "real.h", "two", 50);
  assert_true(refresh(&tree));
  kiln_request_record_release(&tree.record);
}

static void
test_what_is_gone_is_not_found(void **state)
{
  struct tree tree;
  bool changed;
  struct kiln_error error = {0};
  tree_init(&tree, *state);
  assert_int_equal(kiln_request_refresh(&tree.record, tree.roots, 0, &changed, &error), KILN_ERROR_NOT_FOUND);
  assert_int_equal(unlink(made_path(tree.made, "tree/a.h")), 0);
  assert_int_equal(kiln_request_refresh(&tree.record, tree.roots, 1, &changed, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, "tree/a.h'"));
  kiln_request_record_release(&tree.record);
}

/* A store that came from elsewhere: the compiler stayed there, and its headers with it. */
static void
test_headers_of_a_compiler_that_is_not_here(void **state)
{
  struct tree tree;
  bool changed;
  tree_init(&tree, *state);
  assert_int_equal(kiln_request_refresh_foreign(&tree.record, tree.roots, 1, &changed, NULL), KILN_OK);
  struct kiln_dependency *header = &tree.record.dependencies[0];
  char *relative = header->path;
  header->root = KILN_ROOT_SYSTEM;
  header->path = strdup(made_path(tree.made, "tree/a.h"));
  assert_non_null(header->path);
  free(relative);
  put(&tree, "a.h", "two", 50);
  assert_int_equal(kiln_request_refresh_foreign(&tree.record, tree.roots, 1, &changed, NULL), KILN_OK);
  assert_true(changed);
  const struct kiln_digest as_recorded = header->content;
  assert_int_equal(unlink(header->path), 0);
  assert_int_equal(kiln_request_refresh_foreign(&tree.record, tree.roots, 1, &changed, NULL), KILN_OK);
  assert_false(changed);
  assert_true(kiln_digest_equal(&header->content, &as_recorded));
  assert_int_equal(kiln_request_refresh(&tree.record, tree.roots, 1, &changed, NULL), KILN_ERROR_NOT_FOUND);
  /* What belongs to the program must be here. */
  header->root = 0;
  assert_int_equal(kiln_request_refresh_foreign(&tree.record, tree.roots, 1, &changed, NULL), KILN_ERROR_NOT_FOUND);
  kiln_request_record_release(&tree.record);
}

/* A header that appears where the search would find it first changes the build. */
static void
test_an_absence_ends_when_a_file_appears(void **state)
{
  struct tree tree;
  tree_init(&tree, *state);
  assert_false(kiln_dependency_is_absence(&tree.record.dependencies[0]));
  tree.record.dependencies[0].content = (struct kiln_digest){{0}};
  free(tree.record.dependencies[0].path);
  tree.record.dependencies[0].path = strdup("b.h");
  assert_true(kiln_dependency_is_absence(&tree.record.dependencies[0]));
  assert_false(refresh(&tree));
  assert_true(kiln_dependency_is_absence(&tree.record.dependencies[0]));
  put(&tree, "b.h", "", 100);
  assert_true(refresh(&tree));
  assert_false(kiln_dependency_is_absence(&tree.record.dependencies[0]));
  assert_false(refresh(&tree));
  kiln_request_record_release(&tree.record);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_content_decides_when_the_rest_moved),
      CASE(test_a_moved_tree_is_the_same),
      CASE(test_an_unmoved_file_is_not_read),
      CASE(test_a_fresh_time_is_not_believed),
      CASE(test_a_link_is_followed),
      CASE(test_what_is_gone_is_not_found),
      CASE(test_headers_of_a_compiler_that_is_not_here),
      CASE(test_an_absence_ends_when_a_file_appears),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
