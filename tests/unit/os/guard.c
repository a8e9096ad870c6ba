/* The guard is the real one: kiln-spawn. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/guard.h"
#include "os/process.h"
#include "os/runner.h"

#define SPAWN KILN_BINARY_DIR "/bin/kiln-spawn"

static int
make_folder(void **state)
{
  static struct kiln_buf folder;
  kiln_buf_init(&folder);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-guard-", &folder, NULL), KILN_OK);
  *state = folder.data;
  return 0;
}

static int
remove_folder(void **state)
{
  kiln_folder_remove(*state, NULL);
  free(*state);
  return 0;
}

/* Within ten seconds, on a machine as busy as it likes. */
static bool
goes(const char *path)
{
  for (int i = 0; i < 500 && kiln_file_exists(path); i++)
    kiln_clock_sleep(20000000);
  return !kiln_file_exists(path);
}

static void
test_dismissed_it_removes_nothing(void **state)
{
  struct kiln_guard guard;
  assert_int_equal(kiln_guard_start(SPAWN, &guard, NULL), KILN_OK);
  assert_true(kiln_guard_name(&guard, *state));
  kiln_guard_end(&guard);
  assert_int_equal(guard.pid, 0);
  assert_true(kiln_file_exists(*state));
  kiln_guard_end(&guard);
}

/* Its owner is killed; a process that carries the folder's mark goes first, and what lies in it with it. */
static void
test_it_outlives_its_owner(void **state)
{
  const char *folder = *state;
  char path[160];
  int ends[2], marked;
  assert_int_equal(pipe(ends), 0);
  pid_t owner = fork();
  if (owner == 0) {
    struct kiln_guard guard;
    snprintf(path, sizeof path, "%s/deep", folder);
    if (kiln_folder_make(path, NULL) != KILN_OK || kiln_guard_start(SPAWN, &guard, NULL) != KILN_OK ||
        !kiln_guard_name(&guard, folder))
      _exit(1);
    marked = fork();
    if (marked == 0) {
      setenv(KILN_SANDBOX_VARIABLE, folder, 1);
      execlp("sleep", "sleep", "600", (char *)NULL);
      _exit(1);
    }
    kiln_clock_sleep(200000000); /* the child becomes what it is to be */
    if (write(ends[1], &marked, sizeof marked) != (long)sizeof marked)
      _exit(1);
    raise(SIGKILL);
  }
  assert_int_equal(read(ends[0], &marked, sizeof marked), sizeof marked);
  int status;
  assert_int_equal(waitpid(owner, &status, 0), owner);
  assert_true(WIFSIGNALED(status));
  assert_true(goes(folder));
  for (int i = 0; i < 500 && kiln_process_alive(marked); i++)
    kiln_clock_sleep(20000000);
  assert_false(kiln_process_alive(marked));
  close(ends[0]);
  close(ends[1]);
}

/* A guard that was killed is no signal for its owner. */
static void
test_a_dead_guard_does_no_harm(void **state)
{
  struct kiln_guard guard;
  assert_int_equal(kiln_guard_start(SPAWN, &guard, NULL), KILN_OK);
  assert_int_equal(kill(guard.pid, SIGKILL), 0);
  kiln_clock_sleep(50000000);
  kiln_guard_name(&guard, *state);
  kiln_guard_end(&guard);
  assert_true(kiln_file_exists(*state));
}

static void
test_a_guard_that_is_missing(void **state)
{
  (void)state;
  struct kiln_guard guard;
  struct kiln_error error;
  assert_int_equal(kiln_guard_start("/nonexistent/kiln-spawn", &guard, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, "/nonexistent/kiln-spawn"));
  assert_false(kiln_guard_name(&guard, "/x"));
  kiln_guard_end(&guard);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_dismissed_it_removes_nothing),
      TEST(test_it_outlives_its_owner),
      TEST(test_a_dead_guard_does_no_harm),
      TEST(test_a_guard_that_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
