#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"

static void
test_numbers(void **state)
{
  (void)state;
  assert_int_equal(kiln_process_id(), getpid());
  assert_int_equal(kiln_process_parent_id(), getppid());
  assert_int_equal(kiln_thread_id(), getpid());
}

static void
test_executable_and_command_line(void **state)
{
  (void)state;
  struct kiln_buf path, line;
  kiln_buf_init(&path);
  kiln_buf_init(&line);
  assert_true(kiln_process_executable(&path));
  assert_true(kiln_file_executable(path.data));
  assert_true(kiln_process_command_line(&line, 4096));
  /* argv[0] with its NUL is all this program was given. */
  assert_int_equal(line.len, strlen(line.data) + 1);
  assert_string_equal(kiln_text_base_name(line.data), kiln_text_base_name(path.data));
  size_t len = line.len;
  assert_true(kiln_process_command_line(&line, 3));
  assert_int_equal(line.len, len + 3);
  assert_memory_equal(line.data + len, line.data, 3);
  kiln_buf_release(&path);
  kiln_buf_release(&line);
}

static pid_t
child_that_waits(int fd)
{
  pid_t pid = fork();
  if (pid == 0) {
    char byte;
    _exit(kiln_fd_read(fd, &byte, 1) == 1 ? byte : 99);
  }
  return pid;
}

static void
test_wait(void **state)
{
  (void)state;
  int ends[2];
  assert_true(kiln_pipe(ends));
  pid_t pid = child_that_waits(ends[0]);
  struct kiln_exit result = {-1, -1};
  assert_false(kiln_process_wait(pid, 0, &result));
  uint64_t before = kiln_clock_now();
  assert_false(kiln_process_wait(pid, 20, &result));
  assert_true(kiln_clock_now() - before >= 20000000);
  assert_int_equal(result.code, -1);
  assert_true(kiln_fd_write(ends[1], "\x07", 1));
  assert_true(kiln_process_wait(pid, 60000, &result));
  assert_int_equal(result.code, 7);
  assert_int_equal(result.signal, 0);
  assert_false(kiln_process_wait(pid, -1, &result)); /* no such child any more */
  kiln_fd_close(ends[0]);
  kiln_fd_close(ends[1]);
}

static void
test_kill_and_alive(void **state)
{
  (void)state;
  int ends[2];
  assert_true(kiln_pipe(ends));
  pid_t pid = child_that_waits(ends[0]);
  assert_true(kiln_process_alive(pid));
  kiln_process_kill(pid, SIGKILL);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_false(kiln_process_alive(pid)); /* a zombie is not alive */
  struct kiln_exit result;
  assert_true(kiln_process_wait(pid, -1, &result));
  assert_int_equal(result.signal, SIGKILL);
  assert_int_equal(result.code, 0);
  assert_false(kiln_process_alive(pid));
  assert_false(kiln_process_alive(0));
  assert_false(kiln_process_alive(-1));
  assert_true(kiln_process_alive(getpid()));
  kiln_fd_close(ends[0]);
  kiln_fd_close(ends[1]);
}

static int signals;

static void
count_signal(int number)
{
  (void)number;
  signals++;
}

/* 0 and negative numbers would reach whole groups. */
static void
test_kill_never_reaches_a_group(void **state)
{
  (void)state;
  signal(SIGUSR1, count_signal);
  kiln_process_kill(0, SIGUSR1);
  kiln_process_kill(-getpgrp(), SIGUSR1);
  assert_int_equal(signals, 0);
  kiln_process_kill(getpid(), SIGUSR1);
  assert_int_equal(signals, 1);
  signal(SIGUSR1, SIG_DFL);
}

static void
test_pipe_and_poll(void **state)
{
  (void)state;
  int first[2], second[2];
  assert_true(kiln_pipe(first));
  assert_true(kiln_pipe(second));
  assert_int_equal(fcntl(first[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  assert_int_equal(fcntl(first[1], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  int fds[3] = {first[0], -1, second[0]};
  assert_int_equal(kiln_poll(fds, 3, 0), 0);
  assert_true(kiln_fd_write(second[1], "x", 1));
  assert_int_equal(kiln_poll(fds, 3, -1), 4);
  kiln_fd_close(first[1]); /* closed: readable, at its end */
  assert_int_equal(kiln_poll(fds, 3, -1), 5);
  kiln_fd_close(first[0]);
  kiln_fd_close(second[0]);
  kiln_fd_close(second[1]);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_executable_and_command_line),
      cmocka_unit_test(test_wait),
      cmocka_unit_test(test_kill_and_alive),
      cmocka_unit_test(test_kill_never_reaches_a_group),
      cmocka_unit_test(test_pipe_and_poll),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
