#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/stand_in.h"

extern char **environ;

static struct kiln_exit
run(const char *script)
{
  char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)script, NULL};
  struct kiln_exit result = {-1, -1};
  struct kiln_error error = {0};
  assert_int_equal(kiln_stand_in(argv, environ, &result, &error), KILN_OK);
  return result;
}

static void
test_how_it_ended(void **state)
{
  (void)state;
  assert_int_equal(run("exit 0").code, 0);
  assert_int_equal(run("exit 7").code, 7);
  assert_int_equal(run("kill -TERM $$").signal, SIGTERM);
  assert_int_equal(run("kill -KILL $$").signal, SIGKILL);
}

/* Nothing of this process's masks and handlers is changed, and the program starts with what this process had. */
static void
test_signals_are_as_before(void **state)
{
  (void)state;
  sigset_t before, after;
  sigprocmask(SIG_SETMASK, NULL, &before);
  assert_int_equal(run("kill -USR1 $$; exit 3").signal, SIGUSR1); /* not blocked in the program */
  sigprocmask(SIG_SETMASK, NULL, &after);
  for (int number = 1; number < SIGRTMIN; number++)
    assert_int_equal(sigismember(&before, number), sigismember(&after, number));
  signal(SIGHUP, SIG_IGN); /* as nohup does */
  assert_int_equal(run("kill -HUP $$; exit 4").code, 4);
  signal(SIGHUP, SIG_DFL);
}

static void
test_a_signal_reaches_the_program(void **state)
{
  (void)state;
  assert_int_equal(run("trap 'exit 9' USR2; kill -USR2 $PPID; while :; do sleep 0.01; done").code, 9);
}

static void
test_a_program_that_is_not_there(void **state)
{
  (void)state;
  char *argv[] = {(char[]){"kiln-no-such-program"}, NULL};
  struct kiln_exit result;
  struct kiln_error error = {0};
  assert_int_equal(kiln_stand_in(argv, environ, &result, &error), KILN_ERROR_COMMAND);
  assert_non_null(strstr(error.what, "'kiln-no-such-program'"));
  assert_true(error.remedy[0] != '\0');
}

static int
end_of(struct kiln_exit how)
{
  int status;
  pid_t pid = fork();
  if (pid == 0)
    kiln_stand_in_end(&how);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static void
test_ending_alike(void **state)
{
  (void)state;
  int status = end_of((struct kiln_exit){5, 0});
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 5);
  status = end_of((struct kiln_exit){0, SIGABRT});
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
  assert_false(WCOREDUMP(status));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_how_it_ended),
      cmocka_unit_test(test_signals_are_as_before),
      cmocka_unit_test(test_a_signal_reaches_the_program),
      cmocka_unit_test(test_a_program_that_is_not_there),
      cmocka_unit_test(test_ending_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
