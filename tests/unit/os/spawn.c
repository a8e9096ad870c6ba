#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "os/process.h"

static char *const no_environment[] = {NULL};

/* Run a shell script and return how it ended. */
static struct kiln_exit
run(const char *script, struct kiln_spawn_options options, char *const *environment)
{
  char *argv[] = {"sh", "-c", (char *)script, NULL};
  options.program = "/bin/sh";
  options.argv = argv;
  options.environment = environment;
  int pid = 0;
  struct kiln_error error;
  struct kiln_exit result = {-1, -1};
  if (kiln_process_spawn(&options, &pid, &error) != KILN_OK)
    fail_msg("%s", error.what);
  assert_true(kiln_process_wait(pid, -1, &result));
  return result;
}

static void
expect_exit(const char *script, struct kiln_spawn_options options, int code, int signal)
{
  struct kiln_exit result = run(script, options, no_environment);
  assert_int_equal(result.code, code);
  assert_int_equal(result.signal, signal);
}

static const struct kiln_spawn_options plain = {.stdin_fd = -1};

static void
test_exit_and_signal_are_apart(void **state)
{
  (void)state;
  expect_exit("exit 0", plain, 0, 0);
  expect_exit("exit 137", plain, 137, 0);
  expect_exit("kill -9 $$", plain, 0, SIGKILL);
}

static void
test_environment_is_what_was_given(void **state)
{
  (void)state;
  char *const environment[] = {"GIVEN=yes", NULL};
  struct kiln_exit result = run("[ \"$GIVEN\" = yes ] && [ -z \"$HOME\" ]", plain, environment);
  assert_int_equal(result.code, 0);
}

static void
test_stdin(void **state)
{
  (void)state;
  expect_exit("read line", plain, 1, 0); /* /dev/null is at its end at once */
  int ends[2];
  assert_true(kiln_pipe(ends));
  assert_true(kiln_fd_write(ends[1], "hello\n", 6));
  struct kiln_spawn_options piped = {.stdin_fd = ends[0]};
  expect_exit("read line && [ \"$line\" = hello ]", piped, 0, 0);
  kiln_fd_close(ends[0]);
  kiln_fd_close(ends[1]);
}

/* Signals that are ignored or blocked here are neither in the child. */
static void
test_signals_at_their_default(void **state)
{
  (void)state;
  sigset_t blocked, old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  signal(SIGTERM, SIG_IGN);
  sigprocmask(SIG_BLOCK, &blocked, &old);
  expect_exit("kill -TERM $$; exit 5", plain, 0, SIGTERM);
  expect_exit("kill -USR1 $$; exit 5", plain, 0, SIGUSR1);
  sigprocmask(SIG_SETMASK, &old, NULL);
  signal(SIGTERM, SIG_DFL);
}

static void
test_only_kept_descriptors(void **state)
{
  (void)state;
  int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 7), dropped = fcntl(STDERR_FILENO, F_DUPFD, 7);
  assert_true(kept >= 7 && dropped >= 7);
  char script[128];
  snprintf(script, sizeof script, "[ -e /proc/$$/fd/%d ] && ! [ -e /proc/$$/fd/%d ]", kept, dropped);
  struct kiln_spawn_options options = {.stdin_fd = -1, .keep = {kept}, .keep_count = 1};
  expect_exit(script, options, 0, 0);
  snprintf(script, sizeof script, "[ -e /proc/$$/fd/%d ] && [ -e /proc/$$/fd/%d ]", kept, dropped);
  options.inherit = true;
  expect_exit(script, options, 0, 0);
  /* The caller's own descriptors are as before. */
  assert_int_equal(fcntl(kept, F_GETFD), FD_CLOEXEC);
  assert_int_equal(fcntl(dropped, F_GETFD), 0);
  close(kept);
  close(dropped);
}

static void
test_refusals(void **state)
{
  (void)state;
  char *argv[] = {"x", NULL};
  int pid = 77;
  struct kiln_error error;
  struct kiln_spawn_options options = {
      .program = "/no/such/program", .argv = argv, .environment = no_environment, .stdin_fd = -1};
  assert_int_equal(kiln_process_spawn(&options, &pid, &error), KILN_ERROR_COMMAND);
  assert_int_equal(error.sys_errno, ENOENT);
  assert_non_null(strstr(error.what, "/no/such/program"));
  assert_int_equal(pid, 77);
  options.program = "/dev/null";
  assert_int_equal(kiln_process_spawn(&options, &pid, &error), KILN_ERROR_COMMAND);
  assert_int_equal(error.sys_errno, EACCES);
  options.keep_count = 5;
  assert_int_equal(kiln_process_spawn(&options, &pid, &error), KILN_ERROR_ARGUMENT);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exit_and_signal_are_apart),
      cmocka_unit_test(test_environment_is_what_was_given),
      cmocka_unit_test(test_stdin),
      cmocka_unit_test(test_signals_at_their_default),
      cmocka_unit_test(test_only_kept_descriptors),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
