/* Digests remembered for as long as a file does not move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "jit/content.h"

struct fixture {
  char folder[64], path[80];
  struct kiln_content_cache *cache;
};

static int
set_up(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  snprintf(fixture->folder, sizeof fixture->folder, "/tmp/kiln-content.XXXXXX");
  assert_non_null(mkdtemp(fixture->folder));
  snprintf(fixture->path, sizeof fixture->path, "%s/file", fixture->folder);
  fixture->cache = kiln_content_cache_new();
  assert_non_null(fixture->cache);
  *state = fixture;
  return 0;
}

static int
tear_down(void **state)
{
  struct fixture *fixture = *state;
  kiln_content_cache_free(fixture->cache);
  unlink(fixture->path);
  rmdir(fixture->folder);
  free(fixture);
  return 0;
}

/* Write over the same inode and give it a time of its own. */
static void
put(const struct fixture *fixture, const char *text, time_t time)
{
  int fd = open(fixture->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  const struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time}};
  assert_int_equal(futimens(fd, times), 0);
  close(fd);
}

static bool
digest_is(const struct fixture *fixture, const char *text)
{
  struct kiln_file_info info;
  struct kiln_digest digest, expected = kiln_digest_of(text, strlen(text));
  assert_int_equal(kiln_file_target_info(fixture->path, &info, NULL), KILN_OK);
  assert_int_equal(kiln_content_digest(fixture->cache, fixture->path, &info, &digest, NULL), KILN_OK);
  return kiln_digest_equal(&digest, &expected);
}

static void
test_an_unmoved_file_is_read_once(void **state)
{
  struct fixture *fixture = *state;
  put(fixture, "one", 1000000000);
  assert_true(digest_is(fixture, "one"));
  put(fixture, "two", 1000000000);
  assert_true(digest_is(fixture, "one")); /* as planned: nothing that is looked at has changed */
}

static void
test_a_moved_file_is_read_again(void **state)
{
  struct fixture *fixture = *state;
  put(fixture, "one", 1000000000);
  assert_true(digest_is(fixture, "one"));
  put(fixture, "two", 1000000001);
  assert_true(digest_is(fixture, "two"));
  put(fixture, "three", 1000000001);
  assert_true(digest_is(fixture, "three"));
}

static void
test_a_young_file_is_always_read(void **state)
{
  struct fixture *fixture = *state;
  const time_t now = time(NULL) + 60;
  put(fixture, "one", now);
  assert_true(digest_is(fixture, "one"));
  put(fixture, "two", now);
  assert_true(digest_is(fixture, "two"));
}

static void
test_a_child_remembers_nothing(void **state)
{
  struct fixture *fixture = *state;
  int status;
  put(fixture, "one", 1000000000);
  assert_true(digest_is(fixture, "one"));
  put(fixture, "two", 1000000000);
  pid_t child = fork();
  if (child == 0)
    _exit(digest_is(fixture, "two") ? 0 : 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void
test_a_file_that_is_gone_is_an_error(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_file_info info;
  struct kiln_digest digest;
  put(fixture, "one", 1000000000);
  assert_int_equal(kiln_file_target_info(fixture->path, &info, NULL), KILN_OK);
  assert_int_equal(unlink(fixture->path), 0);
  assert_int_equal(kiln_content_digest(fixture->cache, fixture->path, &info, &digest, NULL), KILN_ERROR_NOT_FOUND);
}

/* The headers of a build do not take turns in one place of the memory: all but a few are read once. */
static void
test_many_files_are_read_once(void **state)
{
  struct fixture *fixture = *state;
  enum { FILES = 100 };
  struct kiln_file_info infos[FILES];
  struct kiln_digest digest, first = kiln_digest_of("one", 3);
  int known = 0;
  put(fixture, "one", 1000000000);
  assert_int_equal(kiln_file_target_info(fixture->path, &infos[0], NULL), KILN_OK);
  for (int i = 0; i < FILES; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s.%d", fixture->path, i);
    assert_int_equal(rename(fixture->path, name), 0);
    put(fixture, "one", 1000000000);
    assert_int_equal(kiln_file_target_info(name, &infos[i], NULL), KILN_OK);
    assert_int_equal(kiln_content_digest(fixture->cache, name, &infos[i], &digest, NULL), KILN_OK);
  }
  for (int i = 0; i < FILES; i++) {
    char name[96], kept[96];
    snprintf(name, sizeof name, "%s.%d", fixture->path, i);
    memcpy(kept, fixture->path, sizeof fixture->path);
    memcpy(fixture->path, name, sizeof fixture->path);
    put(fixture, "two", 1000000000);
    memcpy(fixture->path, kept, sizeof fixture->path);
    assert_int_equal(kiln_content_digest(fixture->cache, name, &infos[i], &digest, NULL), KILN_OK);
    known += kiln_digest_equal(&digest, &first);
    unlink(name);
  }
  assert_true(known >= FILES - 2);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      CASE(test_an_unmoved_file_is_read_once),
      CASE(test_many_files_are_read_once),
      CASE(test_a_moved_file_is_read_again),
      CASE(test_a_young_file_is_always_read),
      CASE(test_a_child_remembers_nothing),
      CASE(test_a_file_that_is_gone_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
