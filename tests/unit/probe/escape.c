/* New and changed artefacts outside the sandbox are seen, everything else is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/escape.h"

static int
setup(void **state)
{
  struct kiln_buf *home = calloc(1, sizeof *home);
  kiln_buf_init(home);
  *state = home;
  return kiln_folder_make_private(kiln_folder_temporary(), "kiln-unit-", home, NULL) == KILN_OK ? 0 : -1;
}

static int
teardown(void **state)
{
  struct kiln_buf *home = *state;
  kiln_folder_remove(kiln_buf_text(home), NULL);
  kiln_buf_release(home);
  free(home);
  return 0;
}

static void
put(const char *home, const char *folder, const char *name, const char *text)
{
  struct kiln_buf path, file;
  kiln_buf_init(&path);
  kiln_buf_init(&file);
  kiln_text_join(&path, home, folder);
  assert_int_equal(kiln_folder_make(kiln_buf_text(&path), NULL), KILN_OK);
  kiln_text_join(&file, kiln_buf_text(&path), name);
  assert_int_equal(kiln_file_write(kiln_buf_text(&file), text, strlen(text), NULL), KILN_OK);
  kiln_buf_release(&path);
  kiln_buf_release(&file);
}

static void
nothing_written(void **state)
{
  const char *home = kiln_buf_text(*state), *framework = NULL, *path = NULL;
  struct kiln_escape_watch *watch;
  put(home, ".cache/warp/1.19.0/wp_m_abc", "m.o", "object");
  watch = kiln_escape_watch_new(home);
  assert_non_null(watch);
  put(home, ".cache/warp/1.19.0/wp_m_abc", "m.txt", "no artefact");
  put(home, "documents", "m.o", "not a cache");
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 0);
  assert_null(path);
  kiln_escape_watch_free(watch);
}

static void
new_artefact_is_named(void **state)
{
  const char *home = kiln_buf_text(*state), *framework = NULL, *path = NULL;
  struct kiln_escape_watch *watch = kiln_escape_watch_new(home);
  put(home, ".cache/warp/1.19.0/wp_m_abc", "m.o", "object");
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 1);
  assert_string_equal(framework, "warp");
  assert_true(kiln_text_ends(path, "/.cache/warp/1.19.0/wp_m_abc/m.o"));
  put(home, ".triton/cache/abc", "k.cubin", "object");
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 2);
  kiln_escape_watch_free(watch);
}

static void
replaced_artefact_is_seen(void **state)
{
  const char *home = kiln_buf_text(*state), *framework = NULL, *path = NULL;
  struct kiln_escape_watch *watch;
  put(home, ".cache/warp/v", "m.o", "object");
  put(home, ".cache/warp/v", "n.o", "object");
  watch = kiln_escape_watch_new(home);
  put(home, ".cache/warp/v", "n.o", "other!");
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 1);
  assert_true(kiln_text_ends(path, "/n.o"));
  kiln_escape_watch_free(watch);
}

static void
home_without_caches(void **state)
{
  const char *framework = NULL, *path = NULL;
  struct kiln_escape_watch *watch = kiln_escape_watch_new("/nowhere/at/all");
  (void)state;
  assert_non_null(watch);
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 0);
  kiln_escape_watch_free(watch);
  kiln_escape_watch_free(NULL);
}

/* One place under two names is counted once; a cache folder of the user's own choice is looked at. */
static void
cache_home_of_the_user(void **state)
{
  const char *home = kiln_buf_text(*state), *framework = NULL, *path = NULL;
  struct kiln_escape_watch *watch;
  struct kiln_buf cache;
  kiln_buf_init(&cache);
  setenv("HOME", home, 1);
  put(home, ".cache/warp/v", "old.o", "object");
  setenv("XDG_CACHE_HOME", kiln_text_join(&cache, home, ".cache"), 1);
  watch = kiln_escape_watch_new(NULL);
  put(home, ".cache/warp/v", "m.o", "object");
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 1);
  kiln_escape_watch_free(watch);
  put(home, "elsewhere", "file", "");
  setenv("XDG_CACHE_HOME", kiln_text_join(&cache, home, "elsewhere"), 1);
  watch = kiln_escape_watch_new(NULL);
  put(home, "elsewhere/warp/v", "m.o", "object");
  assert_int_equal(kiln_escape_watch_check(watch, &framework, &path), 1);
  assert_true(kiln_text_ends(path, "/elsewhere/warp/v/m.o"));
  kiln_escape_watch_free(watch);
  kiln_buf_release(&cache);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_written, setup, teardown),
      cmocka_unit_test_setup_teardown(new_artefact_is_named, setup, teardown),
      cmocka_unit_test_setup_teardown(replaced_artefact_is_seen, setup, teardown),
      cmocka_unit_test_setup_teardown(home_without_caches, setup, teardown),
      cmocka_unit_test_setup_teardown(cache_home_of_the_user, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
