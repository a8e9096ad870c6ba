#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

#define NS_PER_MS 1000000U
#define MOST_POLLED 30

int
kiln_process_id(void)
{
  return getpid();
}

int
kiln_process_parent_id(void)
{
  return getppid();
}

int
kiln_thread_id(void)
{
  return (int)syscall(SYS_gettid);
}

bool
kiln_process_executable(struct kiln_buf *path)
{
  char text[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", text, sizeof text);
  if (len <= 0 || (size_t)len == sizeof text)
    return false;
  kiln_buf_append(path, text, (size_t)len);
  return !path->failed;
}

bool
kiln_process_command_line(struct kiln_buf *buf, unsigned max)
{
  if (!kiln_buf_reserve(buf, max))
    return false;
  int fd = kiln_fd_open("/proc/self/cmdline", KILN_OPEN_READ);
  if (fd < 0)
    return false;
  size_t len = 0;
  long got = 1;
  while (len < max && (got = kiln_fd_read(fd, buf->data + buf->len, max - len)) > 0) {
    len += (size_t)got;
    buf->len += (size_t)got;
    buf->data[buf->len] = '\0';
  }
  kiln_fd_close(fd);
  return got >= 0;
}

static void
describe(int status, struct kiln_exit *result)
{
  *result = (struct kiln_exit){0};
  if (WIFSIGNALED(status))
    result->signal = WTERMSIG(status);
  else
    result->code = WEXITSTATUS(status);
}

/* Wait until the child may have ended, or the time is over. */
static void
wait_for_end(int process_fd, uint64_t ns)
{
  struct pollfd end = {.fd = process_fd, .events = POLLIN};
  if (process_fd >= 0) {
    poll(&end, 1, (int)((ns + NS_PER_MS - 1) / NS_PER_MS));
    return;
  }
  /* No descriptor for processes in this kernel: look again soon. */
  kiln_clock_sleep(ns < NS_PER_MS ? ns : NS_PER_MS);
}

static pid_t
wait_once(int pid, int *status, int flags)
{
  pid_t ended;
  do
    ended = waitpid(pid, status, flags);
  while (ended < 0 && errno == EINTR);
  return ended;
}

bool
kiln_process_wait(int pid, int timeout_ms, struct kiln_exit *result)
{
  int status = 0;
  pid_t ended = wait_once(pid, &status, timeout_ms < 0 ? 0 : WNOHANG);
  if (ended == 0 && timeout_ms > 0) {
    uint64_t deadline = kiln_clock_now() + (uint64_t)timeout_ms * NS_PER_MS;
    int process_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    uint64_t now;
    while (ended == 0 && (now = kiln_clock_now()) < deadline) {
      wait_for_end(process_fd, deadline - now);
      ended = wait_once(pid, &status, WNOHANG);
    }
    kiln_fd_close(process_fd);
  }
  if (ended != pid)
    return false;
  if (result)
    describe(status, result);
  return true;
}

void
kiln_process_kill(int pid, int signal)
{
  /* 0 and negative numbers name whole groups, which nobody asks for here. */
  if (pid > 0)
    kill(pid, signal);
}

bool
kiln_process_alive(int pid)
{
  if (pid <= 0 || (kill(pid, 0) != 0 && errno != EPERM))
    return false;
  struct kiln_proc proc;
  return !kiln_proc_read(pid, &proc) || !kiln_proc_ended(&proc);
}

bool
kiln_pipe(int ends[2])
{
  return pipe2(ends, O_CLOEXEC) == 0;
}

int
kiln_poll(const int *fds, int count, int timeout_ms)
{
  struct pollfd polled[MOST_POLLED];
  if (count > MOST_POLLED)
    count = MOST_POLLED;
  for (int i = 0; i < count; i++)
    polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
  if (poll(polled, (nfds_t)count, timeout_ms) < 0)
    return errno == EINTR ? -1 : 0;
  int ready = 0;
  for (int i = 0; i < count; i++)
    if (polled[i].revents)
      ready |= 1 << i;
  return ready;
}
