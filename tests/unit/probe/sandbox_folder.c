/* A folder is told to be dead at each moment at which its kiln can be killed; nobody else's is taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "os/file.h"
#include "os/lock.h"
#include "probe/sandbox_folder.h"

static struct kiln_buf parent, path, file;

static int
setup(void **state)
{
  (void)state;
  kiln_buf_init(&parent);
  kiln_buf_init(&path);
  kiln_buf_init(&file);
  return kiln_folder_make_private(kiln_folder_temporary(), "kiln-unit-", &parent, NULL) == KILN_OK ? 0 : -1;
}

static int
teardown(void **state)
{
  (void)state;
  kiln_folder_remove(kiln_buf_text(&parent), NULL);
  kiln_buf_release(&parent);
  kiln_buf_release(&path);
  kiln_buf_release(&file);
  return 0;
}

static const char *
inside(const char *name)
{
  return kiln_text_join(&file, kiln_buf_text(&path), name);
}

static void
put(const char *name, const char *text)
{
  assert_int_equal(kiln_file_write(inside(name), text, strlen(text), NULL), KILN_OK);
}

static int
swept(void)
{
  struct kiln_sandbox_swept found = {0, 0};
  kiln_sandbox_folder_sweep(kiln_buf_text(&parent), &found);
  assert_int_equal(found.processes, 0);
  return found.folders;
}

static bool
still_there(void)
{
  return kiln_file_exists(kiln_buf_text(&path));
}

static void
make_ours(void)
{
  assert_true(kiln_sandbox_folder_name(kiln_buf_text(&parent), &path));
  assert_int_equal(kiln_folder_make_new(kiln_buf_text(&path), NULL), KILN_OK);
}

static void
make_named(const char *name)
{
  kiln_text_join(&path, kiln_buf_text(&parent), name);
  assert_int_equal(kiln_folder_make_new(kiln_buf_text(&path), NULL), KILN_OK);
}

static void
names_differ(void **state)
{
  struct kiln_buf other;
  (void)state;
  kiln_buf_init(&other);
  assert_true(kiln_sandbox_folder_name("/tmp", &path));
  assert_true(kiln_sandbox_folder_name("/tmp", &other));
  assert_string_not_equal(kiln_buf_text(&path), kiln_buf_text(&other));
  assert_true(kiln_text_starts(kiln_buf_text(&path), "/tmp/kiln-sandbox-"));
  kiln_buf_release(&other);
}

static void
killed_before_the_owner_was_made(void **state)
{
  (void)state;
  make_ours();
  assert_int_equal(swept(), 1);
  assert_false(still_there());
}

static void
killed_before_the_mark_was_written(void **state)
{
  (void)state;
  make_ours();
  put("owner", "");
  assert_int_equal(swept(), 1);
  assert_false(still_there());
}

static void
killed_in_use(void **state)
{
  (void)state;
  make_ours();
  put("owner", "kiln sandbox\n");
  put("events", "{}\n");
  assert_int_equal(swept(), 1);
  assert_false(still_there());
}

static void
a_living_one_is_left_alone(void **state)
{
  (void)state;
  assert_true(kiln_sandbox_folder_name(kiln_buf_text(&parent), &path));
  int lock = kiln_sandbox_folder_make(kiln_buf_text(&path), NULL);
  assert_true(lock >= 0);
  assert_int_equal(swept(), 0);
  assert_true(still_there());
  kiln_fd_close(lock);
  assert_int_equal(swept(), 1);
}

/* Its owner is locked, its mark not yet written. */
static void
one_being_made_is_left_alone(void **state)
{
  (void)state;
  make_ours();
  int lock = kiln_lock_try(inside("owner"));
  assert_true(lock >= 0);
  assert_int_equal(swept(), 0);
  assert_true(still_there());
  kiln_fd_close(lock);
}

static void
no_second_one_under_a_name(void **state)
{
  struct kiln_error error = {0};
  (void)state;
  make_ours();
  put("owner", "kiln sandbox\n");
  assert_int_equal(kiln_sandbox_folder_make(kiln_buf_text(&path), &error), -1);
  assert_non_null(strstr(error.what, kiln_buf_text(&path)));
  assert_true(still_there());
}

static void
others_are_left_alone(void **state)
{
  static const struct {
    const char *name, *owner, *content;
  } cases[] = {
      {"kiln-models", "kiln sandbox\n", NULL},
      {"kiln-sandbox-short", "kiln sandbox\n", NULL},
      {"kiln-sandbox-0123456789abc", "kiln sandbox\n", NULL},
      {"kiln-sandbox-0123456789-b", "kiln sandbox\n", NULL},
      {"kiln-sandbox-0123456789ab", "Ada Lovelace\n", NULL},
      {"kiln-sandbox-0123456789ac", "kiln sandbox\nmore\n", NULL},
      {"kiln-sandbox-0123456789ad", "", "thesis"},
      {"kiln-sandbox-0123456789ae", NULL, "thesis"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    make_named(cases[i].name);
    if (cases[i].owner)
      put("owner", cases[i].owner);
    if (cases[i].content)
      put(cases[i].content, "");
    assert_int_equal(swept(), 0);
    assert_true(still_there());
    assert_int_equal(kiln_folder_remove(kiln_buf_text(&path), NULL), KILN_OK);
  }
}

static void
a_link_is_left_alone(void **state)
{
  (void)state;
  make_named("elsewhere");
  put("owner", "kiln sandbox\n");
  kiln_text_join(&file, kiln_buf_text(&parent), "kiln-sandbox-0123456789ab");
  assert_int_equal(symlink(kiln_buf_text(&path), kiln_buf_text(&file)), 0);
  assert_int_equal(swept(), 0);
  assert_true(kiln_file_exists(inside("owner")));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(names_differ, setup, teardown),
      cmocka_unit_test_setup_teardown(killed_before_the_owner_was_made, setup, teardown),
      cmocka_unit_test_setup_teardown(killed_before_the_mark_was_written, setup, teardown),
      cmocka_unit_test_setup_teardown(killed_in_use, setup, teardown),
      cmocka_unit_test_setup_teardown(a_living_one_is_left_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(one_being_made_is_left_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(no_second_one_under_a_name, setup, teardown),
      cmocka_unit_test_setup_teardown(others_are_left_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(a_link_is_left_alone, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
