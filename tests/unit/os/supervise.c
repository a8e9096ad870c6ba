#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/process.h"
#include "os/supervise.h"
#include "unit/os/scratch.h"

/* Longer than any of this takes; a broken supervisor is told from a slow machine. */
#define PATIENCE_NS ((uint64_t)60 * 1000000000U)

/* A scenario runs in a child, because a supervisor changes its process for good. It returns 0, or the line that did not
 * hold. */
#define HOLDS(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                          \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

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
start_shell_with(const char *script, int stdout_fd, bool inherit)
{
  char *argv[] = {"sh", "-c", (char *)script, NULL};
  uint64_t start = 0;
  int failed = 0, input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int pid = kiln_supervise_start(argv, NULL, input, stdout_fd, 2, inherit, &start, &failed);
  close(input);
  return start > 0 && start <= kiln_clock_now() ? pid : -1;
}

static int
start_shell(const char *script, int stdout_fd)
{
  return start_shell_with(script, stdout_fd, false);
}

/* Next descendant that ended, waiting for it on the descriptor. */
static bool
reap_next(int child_fd, struct kiln_reaped *reaped)
{
  uint64_t deadline = kiln_clock_now() + PATIENCE_NS;
  while (kiln_clock_now() < deadline) {
    if (kiln_supervise_reap(reaped))
      return true;
    kiln_poll(&child_fd, 1, 1000);
    kiln_supervise_child_fd_drain(child_fd);
  }
  return false;
}

/* Reap everything; number of the reaped, -1 when children are left at the end of patience. */
static int
reap_all(int child_fd)
{
  struct kiln_reaped reaped;
  int count = 0;
  while (kiln_supervise_has_children()) {
    if (!reap_next(child_fd, &reaped))
      return -1;
    count++;
  }
  return count;
}

static int
read_number(int fd)
{
  char text[32] = "";
  size_t len = 0;
  while (len + 1 < sizeof text && kiln_fd_read(fd, text + len, 1) == 1 && text[len] != '\n')
    len++;
  return atoi(text);
}

static int
code_and_signal(void)
{
  struct kiln_reaped reaped;
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(child_fd >= 0);
  HOLDS(getsid(0) == getpid());
  HOLDS(!kiln_supervise_has_children());
  HOLDS(!kiln_supervise_reap(&reaped));
  int pid = start_shell("exit 7", 1);
  HOLDS(pid > 0);
  HOLDS(kiln_supervise_has_children());
  HOLDS(reap_next(child_fd, &reaped));
  HOLDS(reaped.pid == pid && reaped.code == 7 && reaped.signal == 0);
  HOLDS(reaped.end_ns > 0 && reaped.end_ns <= kiln_clock_now());
  HOLDS(reaped.usage.max_rss_bytes > 100000 && reaped.usage.minor_faults > 0);
  /* The supervisor ignores these; the command must not. */
  pid = start_shell("kill -TERM $$; exit 1", 1);
  HOLDS(reap_next(child_fd, &reaped));
  HOLDS(reaped.pid == pid && reaped.code == 0 && reaped.signal == SIGTERM);
  pid = start_shell("kill -PIPE $$; exit 1", 1);
  HOLDS(reap_next(child_fd, &reaped) && reaped.signal == SIGPIPE);
  pid = start_shell("kill -CHLD $$; exit 3", 1);
  HOLDS(reap_next(child_fd, &reaped) && reaped.code == 3);
  raise(SIGTERM);
  raise(SIGINT);
  raise(SIGHUP);
  return 0;
}

static int
usage_counts_work(void)
{
  struct kiln_reaped reaped;
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(start_shell("(i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done); exit 0", 1) > 0);
  HOLDS(reap_next(child_fd, &reaped));
  /* The work was done by a child that the shell waited for. */
  HOLDS(reaped.usage.user_ns + reaped.usage.system_ns > 5000000);
  return 0;
}

static int
exec_failures(void)
{
  char *absent[] = {"kiln-no-such-program", NULL}, *refused[] = {"/dev/null", NULL};
  uint64_t start;
  int failed = 0;
  HOLDS(kiln_supervise_begin());
  HOLDS(kiln_supervise_child_fd() >= 0);
  HOLDS(kiln_supervise_start(absent, NULL, 0, 1, 2, false, &start, &failed) == -1);
  HOLDS(failed == ENOENT);
  HOLDS(kiln_supervise_start(refused, NULL, 0, 1, 2, false, &start, &failed) == -1);
  HOLDS(failed == EACCES);
  HOLDS(kiln_supervise_start(absent, NULL, 0, 1000000, 2, false, &start, &failed) == -1);
  HOLDS(failed == EBADF);
  HOLDS(!kiln_supervise_has_children());
  return 0;
}

static int
inherited_descriptors(void)
{
  struct kiln_reaped reaped;
  char script[64];
  int leaked = fcntl(2, F_DUPFD, 20), own = fcntl(2, F_DUPFD_CLOEXEC, 30);
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  snprintf(script, sizeof script, "[ -e /proc/$$/fd/%d ] && ! [ -e /proc/$$/fd/%d ]", leaked, own);
  HOLDS(start_shell_with(script, 2, true) > 0);
  HOLDS(reap_next(child_fd, &reaped) && reaped.code == 0);
  return 0;
}

static int
a_group_is_asked(void)
{
  struct kiln_reaped reaped;
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  int pid = start_shell("sleep 600 & wait", 2);
  HOLDS(pid > 0 && kiln_supervise_group_exists(pid));
  HOLDS(kiln_supervise_signal_group(pid, SIGTERM));
  while (kiln_supervise_has_children()) {
    HOLDS(reap_next(child_fd, &reaped));
    HOLDS(reaped.signal == SIGTERM);
  }
  HOLDS(!kiln_supervise_group_exists(pid));
  HOLDS(!kiln_supervise_signal_group(pid, SIGTERM));
  return 0;
}

static int
descriptors_and_group(void)
{
  struct kiln_reaped reaped;
  int output[2], leaked = fcntl(2, F_DUPFD, 20);
  char text[128] = "";
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(leaked >= 20 && kiln_pipe(output));
  /* Asked one by one: listing the folder, or a pipe in the script, would open descriptors of its own. */
  HOLDS(
      start_shell("i=0; while [ $i -lt 64 ]; do if [ -e /proc/$$/fd/$i ]; then printf '%d ' $i; fi; i=$((i+1)); done; "
                  "set -- $(cat /proc/$$/stat); [ $5 = $$ ]",
          output[1]) > 0);
  HOLDS(reap_next(child_fd, &reaped) && reaped.code == 0);
  close(output[1]);
  for (size_t len = 0; len + 1 < sizeof text && kiln_fd_read(output[0], text + len, 1) == 1; len++)
    ;
  HOLDS(strcmp(text, "0 1 2 ") == 0);
  HOLDS(fcntl(leaked, F_GETFD) == 0);
  return 0;
}

/* stdin, stdout and stderr may come as any permutation of 0, 1 and 2. */
static int
descriptors_crossed(void)
{
  struct kiln_reaped reaped;
  int input[2], output[2];
  char *argv[] = {"sh", "-c", "read a; echo \"out $a\"; echo err >&2", NULL}, text[64] = "";
  uint64_t start;
  int failed = 0;
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(kiln_pipe(input) && kiln_pipe(output));
  HOLDS(kiln_fd_write(input[1], "x\n", 2));
  int saved[3] = {dup(0), dup(1), dup(2)};
  dup2(input[0], 2);
  dup2(output[1], 0);
  dup2(saved[2], 1);
  int pid = kiln_supervise_start(argv, NULL, 2, 0, 0, false, &start, &failed);
  for (int i = 0; i < 3; i++)
    dup2(saved[i], i);
  HOLDS(pid > 0);
  HOLDS(reap_next(child_fd, &reaped) && reaped.code == 0);
  HOLDS(kiln_fd_read(output[0], text, sizeof text - 1) == 10);
  HOLDS(strcmp(text, "out x\nerr\n") == 0);
  return 0;
}

static int
orphan_is_reaped(void)
{
  struct kiln_reaped first, second;
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  int pid =
      start_shell("(while [ -d /proc/$$ ] && ! grep -q Z /proc/$$/stat; do sleep 0.01; done; exit 3) & exit 0", 1);
  HOLDS(reap_next(child_fd, &first) && first.pid == pid && first.code == 0);
  while (reap_next(child_fd, &second) && second.code != 3)
    HOLDS(kiln_supervise_has_children());
  HOLDS(second.code == 3 && second.pid != pid);
  HOLDS(!kiln_supervise_has_children());
  return 0;
}

/* A daemon in a session of its own, whose parent is gone, is found and ended with the rest. */
static int
kill_all_reaches_daemons(void)
{
  int output[2];
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(kiln_pipe(output));
  HOLDS(start_shell(
            "(setsid sh -c 'echo $$; exec sleep 300' &) ; (sleep 300 & sleep 300) & exec sleep 300", output[1]) > 0);
  int daemon = read_number(output[0]);
  HOLDS(daemon > 1 && getsid(daemon) == daemon && kiln_process_alive(daemon));
  int killed = 0;
  uint64_t deadline = kiln_clock_now() + PATIENCE_NS;
  struct kiln_reaped reaped;
  while (kiln_supervise_has_children() && kiln_clock_now() < deadline) {
    killed += kiln_supervise_kill_all();
    kiln_poll(&child_fd, 1, 100);
    kiln_supervise_child_fd_drain(child_fd);
    while (kiln_supervise_reap(&reaped))
      ;
  }
  HOLDS(killed >= 2); /* the daemon and the shell; the rest may not have been started yet */
  HOLDS(!kiln_supervise_has_children());
  HOLDS(!kiln_process_alive(daemon));
  HOLDS(kiln_supervise_kill_all() == 0);
  HOLDS(reap_all(child_fd) == 0);
  return 0;
}

/* One walk finds every generation, so that nothing has the time to start more. */
static int
kill_all_in_one_walk(void)
{
  int output[2];
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(kiln_pipe(output));
  HOLDS(start_shell("sleep 300 & sh -c 'sleep 300 & echo 1; wait'; exit", output[1]) > 0);
  HOLDS(read_number(output[0]) == 1);
  HOLDS(kiln_supervise_kill_all() == 4);
  HOLDS(reap_all(child_fd) > 0); /* a dying shell may still reap its own child */
  return 0;
}

/* The command is found in, and gets, the environment that was given. */
static int
environment_given(const char *folder)
{
  struct kiln_reaped reaped;
  char path[600];
  snprintf(path, sizeof path, "PATH=%s", folder);
  char *argv[] = {"kiln-test-command", NULL}, *environment[] = {path, "GIVEN=yes", NULL};
  uint64_t start;
  int failed = 0;
  HOLDS(kiln_supervise_begin());
  int child_fd = kiln_supervise_child_fd();
  HOLDS(kiln_supervise_start(argv, environment, 0, 1, 2, false, &start, &failed) > 0);
  HOLDS(reap_next(child_fd, &reaped) && reaped.code == 9);
  HOLDS(kiln_supervise_start(argv, NULL, 0, 1, 2, false, &start, &failed) == -1 && failed == ENOENT);
  return 0;
}

static void
test_code_and_signal(void **state)
{
  (void)state;
  expect_in_child(code_and_signal);
}

static void
test_usage_counts_work(void **state)
{
  (void)state;
  expect_in_child(usage_counts_work);
}

static void
test_exec_failures(void **state)
{
  (void)state;
  expect_in_child(exec_failures);
}

static void
test_descriptors(void **state)
{
  (void)state;
  expect_in_child(descriptors_and_group);
  expect_in_child(descriptors_crossed);
  expect_in_child(inherited_descriptors);
}

static void
test_group_is_asked(void **state)
{
  (void)state;
  expect_in_child(a_group_is_asked);
}

static void
test_orphan_is_reaped(void **state)
{
  (void)state;
  expect_in_child(orphan_is_reaped);
}

static void
test_kill_all(void **state)
{
  (void)state;
  expect_in_child(kill_all_reaches_daemons);
  expect_in_child(kill_all_in_one_walk);
}

static void
test_environment_given(void **state)
{
  static const char script[] = "#!/bin/sh\n[ \"$GIVEN\" = yes ] && exit 9\n";
  struct scratch *scratch = *state;
  const char *path = scratch_path(scratch, "kiln-test-command");
  assert_int_equal(kiln_file_write(path, script, sizeof script - 1, NULL), KILN_OK);
  char *const chmod_line[] = {"chmod", "700", (char *)path, NULL};
  int pid = 0;
  struct kiln_spawn_options options = {
      .program = "/bin/chmod", .argv = chmod_line, .environment = environ, .stdin_fd = -1};
  assert_int_equal(kiln_process_spawn(&options, &pid, NULL), KILN_OK);
  assert_true(kiln_process_wait(pid, -1, NULL));
  pid = fork();
  if (pid == 0)
    _exit(environment_given(scratch->folder.data));
  struct kiln_exit result;
  assert_true(kiln_process_wait(pid, -1, &result));
  assert_int_equal(result.code, 0);
  assert_int_equal(result.signal, 0);
}

/* The supervisor is killed: the command goes with it. */
static void
test_command_dies_with_the_supervisor(void **state)
{
  (void)state;
  int output[2];
  assert_true(kiln_pipe(output));
  pid_t supervisor = fork();
  if (supervisor == 0) {
    if (!kiln_supervise_begin() || start_shell("echo $$; exec sleep 300", output[1]) < 0)
      _exit(1);
    for (;;)
      pause();
  }
  int command = read_number(output[0]);
  assert_true(command > 1);
  assert_true(kiln_process_alive(command));
  kiln_process_kill(supervisor, SIGKILL);
  assert_true(kiln_process_wait(supervisor, -1, NULL));
  uint64_t deadline = kiln_clock_now() + PATIENCE_NS;
  while (kiln_process_alive(command) && kiln_clock_now() < deadline)
    kiln_clock_sleep(2000000);
  assert_false(kiln_process_alive(command));
  kiln_fd_close(output[0]);
  kiln_fd_close(output[1]);
}

/* Whichever of the two is the smaller, and wherever they lie. */
static int
close_others_between(int one, int other)
{
  enum { LAST = 20 };
  for (int fd = 3; fd <= LAST; fd++)
    HOLDS(dup2(2, fd) == fd);
  kiln_supervise_close_others(one, other);
  for (int fd = 0; fd <= LAST; fd++)
    HOLDS((fcntl(fd, F_GETFD) >= 0) == (fd < 3 || fd == one || fd == other));
  return 0;
}

static int
scenario_close_others_apart(void)
{
  return close_others_between(9, 5);
}

static int
scenario_close_others_together(void)
{
  return close_others_between(3, 4);
}

static int
scenario_close_others_standard(void)
{
  return close_others_between(1, 20);
}

static void
test_others_are_closed(void **state)
{
  (void)state;
  expect_in_child(scenario_close_others_apart);
  expect_in_child(scenario_close_others_together);
  expect_in_child(scenario_close_others_standard);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_code_and_signal),
      cmocka_unit_test(test_usage_counts_work),
      cmocka_unit_test(test_exec_failures),
      cmocka_unit_test(test_descriptors),
      cmocka_unit_test(test_others_are_closed),
      cmocka_unit_test(test_group_is_asked),
      cmocka_unit_test(test_orphan_is_reaped),
      cmocka_unit_test(test_kill_all),
      cmocka_unit_test_setup_teardown(test_environment_given, scratch_make, scratch_remove),
      cmocka_unit_test(test_command_dies_with_the_supervisor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
