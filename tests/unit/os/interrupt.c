#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/process.h"

/* Each case in a process of its own: what was seen stays seen. Exit status 0 when the case holds. */
static void
expect_in_child(int (*scenario)(void))
{
  pid_t pid = fork();
  if (pid == 0)
    _exit(scenario());
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static int
first_signal_is_kept(void)
{
  kiln_interrupt_watch();
  if (kiln_interrupt_seen() != 0)
    return 1;
  raise(SIGTERM);
  raise(SIGINT);
  return kiln_interrupt_seen() == SIGTERM ? 0 : 2;
}

static int
every_signal_is_watched(void)
{
  kiln_interrupt_watch();
  raise(SIGHUP);
  if (kiln_interrupt_seen() != SIGHUP)
    return 1;
  raise(SIGINT);
  raise(SIGTERM);
  return 0;
}

/* A background job of a shell starts with SIGINT ignored and must still be told to stop. */
static int
ignored_interrupt_is_watched(void)
{
  signal(SIGINT, SIG_IGN);
  kiln_interrupt_watch();
  raise(SIGINT);
  return kiln_interrupt_seen() == SIGINT ? 0 : 1;
}

static int
nohup_is_respected(void)
{
  signal(SIGHUP, SIG_IGN);
  kiln_interrupt_watch();
  raise(SIGHUP);
  return kiln_interrupt_seen() == 0 ? 0 : 1;
}

/* A waiting call ends when the signal comes. */
static int
waiting_is_interrupted(void)
{
  kiln_interrupt_watch();
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    /* Until the parent is gone: one signal may come just before it waits. */
    while (getppid() == parent) {
      kill(parent, SIGINT);
      kiln_clock_sleep(2000000);
    }
    _exit(0);
  }
  int ends[2];
  if (!kiln_pipe(ends))
    return 1;
  int result = kiln_poll(ends, 1, -1);
  return result == -1 && kiln_interrupt_seen() == SIGINT ? 0 : 2;
}

static void
test_first_signal_is_kept(void **state)
{
  (void)state;
  expect_in_child(first_signal_is_kept);
}

static void
test_every_signal_is_watched(void **state)
{
  (void)state;
  expect_in_child(every_signal_is_watched);
}

static void
test_dispositions_of_the_caller(void **state)
{
  (void)state;
  expect_in_child(ignored_interrupt_is_watched);
  expect_in_child(nohup_is_respected);
}

static void
test_waiting_is_interrupted(void **state)
{
  (void)state;
  expect_in_child(waiting_is_interrupted);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_signal_is_kept),
      cmocka_unit_test(test_every_signal_is_watched),
      cmocka_unit_test(test_dispositions_of_the_caller),
      cmocka_unit_test(test_waiting_is_interrupted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
