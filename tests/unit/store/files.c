#include "made.h"

#include "store/files.h"

static enum kiln_read_result
read_back(struct made *made, const char *name, size_t max, struct kiln_buf *content)
{
  char path[1024];
  snprintf(path, sizeof path, "%s", made_path(made, name));
  kiln_buf_clear(content);
  return kiln_store_read(made->store, path, max, content, NULL, NULL);
}

static void
write_text(struct made *made, const char *relative, const char *text)
{
  struct kiln_buf content;
  kiln_buf_init(&content);
  kiln_buf_text_append(&content, text);
  assert_int_equal(kiln_store_write(made->store, relative, &content, NULL), KILN_OK);
  kiln_buf_release(&content);
}

static void
test_writing_replaces_at_once(void **state)
{
  struct made *made = *state;
  struct kiln_buf content;
  struct stat before, after;
  kiln_buf_init(&content);
  write_text(made, "requests/aa/b/c", "one");
  stat(made_path(made, "store/v1/requests/aa/b/c"), &before);
  write_text(made, "requests/aa/b/c", "two");
  stat(made_path(made, "store/v1/requests/aa/b/c"), &after);
  assert_int_not_equal(before.st_ino, after.st_ino);
  assert_int_equal(read_back(made, "store/v1/requests/aa/b/c", 3, &content), KILN_READ_DONE);
  assert_string_equal(content.data, "two");
  assert_int_equal(made_mode(made_path(made, "store/v1/requests/aa/b/c")), 0400);
  assert_int_equal(made_mode(made_path(made, "store/v1/requests/aa/b")), 0700);
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
  kiln_buf_release(&content);
}

static void
test_what_is_read_is_bounded_and_plain(void **state)
{
  struct made *made = *state;
  struct kiln_buf content;
  kiln_buf_init(&content);
  write_text(made, "failed/x", "12345678");
  assert_int_equal(read_back(made, "store/v1/failed/x", 8, &content), KILN_READ_DONE);
  assert_int_equal(read_back(made, "store/v1/failed/x", 7, &content), KILN_READ_DAMAGED);
  assert_int_equal(read_back(made, "store/v1/failed/y", 8, &content), KILN_READ_MISSING);
  assert_int_equal(read_back(made, "store/v1/failed/x/y", 8, &content), KILN_READ_MISSING);
  assert_int_equal(read_back(made, "store/v1/failed", 1 << 20, &content), KILN_READ_DAMAGED);
  assert_int_equal(symlink("x", made_path(made, "store/v1/failed/link")), 0);
  assert_int_equal(read_back(made, "store/v1/failed/link", 8, &content), KILN_READ_REFUSED);
  assert_int_equal(chmod(made_path(made, "store/v1/failed/x"), 0620), 0);
  assert_int_equal(read_back(made, "store/v1/failed/x", 8, &content), KILN_READ_REFUSED);
  assert_int_equal(made->warnings, 1);
  kiln_buf_release(&content);
}

static void
test_temporary_files_never_share_a_name(void **state)
{
  struct made *made = *state;
  struct kiln_buf content, paths[2];
  kiln_buf_init(&content);
  for (int i = 0; i < 2; i++) {
    kiln_buf_init(&paths[i]);
    assert_int_equal(kiln_store_write_temporary(made->store, &content, &paths[i], NULL), KILN_OK);
  }
  assert_string_not_equal(paths[0].data, paths[1].data);
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 2);
  kiln_buf_release(&paths[0]);
  kiln_buf_release(&paths[1]);
}

/* A folder in the way: the file stays out, and no temporary file is left. */
static void
test_a_refused_write_leaves_nothing(void **state)
{
  struct made *made = *state;
  struct kiln_buf content;
  struct kiln_error error = {0};
  kiln_buf_init(&content);
  kiln_buf_text_append(&content, "x");
  write_text(made, "failed/a/b", "x");
  assert_int_not_equal(kiln_store_write(made->store, "failed/a", &content, &error), KILN_OK);
  assert_non_null(strstr(error.what, "failed/a'"));
  assert_int_equal(made_count_in(made_path(made, "store/v1/build")), 0);
  kiln_buf_release(&content);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_writing_replaces_at_once),
      CASE(test_what_is_read_is_bounded_and_plain),
      CASE(test_temporary_files_never_share_a_name),
      CASE(test_a_refused_write_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
