#include "os/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

#define NS_PER_S 1000000000U
#define LAST_SIGNAL 64
#define LOW_NICE 10
/* Of linux/ioprio.h, which not every system ships: this process; class "best effort", its lowest level. */
#define IO_WHO_PROCESS 1
#define IO_BEST_EFFORT_LOWEST (2 << 13 | 7)
/* Of linux/close_range.h, which older C libraries do not ship. */
#define CLOSE_ON_EXEC_FLAG 4U

/* Numbers that cannot be changed (SIGKILL, SIGSTOP, those of the C library) are refused and stay as they are. */
static void
reset_signals(void)
{
  sigset_t none;
  for (int number = 1; number <= LAST_SIGNAL; number++)
    signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

bool
kiln_supervise_begin(void)
{
  if (setsid() < 0 && getsid(0) != getpid())
    return false;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    return false;
  reset_signals();
  static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    signal(ignored[i], SIG_IGN);
  return true;
}

struct start {
  char *const *argv, *const *environment;
  int fds[3];
  unsigned how;
  int parent;
  int failure_fd; /* close-on-exec: an exec that succeeds closes it, one that fails writes errno to it */
};

/* The three may lie anywhere, also on each other's places: moved out of the way first. */
static bool
place_descriptors(const int fds[3])
{
  int moved[3];
  for (int i = 0; i < 3; i++)
    if ((moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3)) < 0)
      return false;
  for (int i = 0; i < 3; i++)
    if (dup2(moved[i], i) < 0)
      return false;
  return true;
}

/* All descriptors above 2 from `first` to `last` (-1: the last there is); false where the system has no such call. */
static bool
close_range_of(int first, int last, unsigned flags)
{
  first = first > 3 ? first : 3;
#ifdef SYS_close_range
  return (last >= 0 && first > last) ||
         syscall(SYS_close_range, (unsigned)first, last < 0 ? ~0U : (unsigned)last, flags) == 0;
#else
  (void)last, (void)flags;
  return false;
#endif
}

static int
last_descriptor(void)
{
  const long most = sysconf(_SC_OPEN_MAX);
  return most > 0 && most < 65536 ? (int)most - 1 : 65535;
}

/* Whoever leaks a descriptor to the supervisor does not leak it to the command. */
static void
close_others_on_exec(void)
{
  if (close_range_of(3, -1, CLOSE_ON_EXEC_FLAG))
    return;
  for (int fd = 3, last = last_descriptor(); fd <= last; fd++)
    kiln_fd_close_on_exec(fd);
}

void
kiln_supervise_close_others(int one, int other)
{
  const int low = one < other ? one : other, high = one < other ? other : one;
  if ((low <= 3 || close_range_of(3, low - 1, 0)) && (high <= 3 || close_range_of(low + 1, high - 1, 0)) &&
      close_range_of(high + 1, -1, 0))
    return;
  for (int fd = 3, last = last_descriptor(); fd <= last; fd++)
    if (fd != low && fd != high)
      kiln_fd_close(fd);
}

/* Best effort: a compiler at the usual priority is no failure. */
static void
lower_priority(void)
{
  const int already = getpriority(PRIO_PROCESS, 0);
  if (already < LOW_NICE)
    setpriority(PRIO_PROCESS, 0, LOW_NICE);
#ifdef SYS_ioprio_set
  syscall(SYS_ioprio_set, IO_WHO_PROCESS, 0, IO_BEST_EFFORT_LOWEST);
#endif
}

/* In the forked child; returns only when the program cannot be started, with errno. */
static int
become_command(const struct start *start)
{
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return errno;
  /* The parent may have died before the line above, then no signal comes any more. */
  if (getppid() != start->parent)
    _exit(127);
  reset_signals();
  if (!place_descriptors(start->fds))
    return errno;
  if (start->how & KILN_START_LOW)
    lower_priority();
  if (!(start->how & KILN_START_INHERIT))
    close_others_on_exec();
  if (start->environment)
    environ = (char **)start->environment; /* execvp takes PATH from here, and the program its environment */
  execvp(start->argv[0], start->argv);
  return errno;
}

/* errno of the failed exec, 0 when the program runs. */
static int
read_failure(int fd)
{
  int failed = 0;
  return kiln_fd_read(fd, &failed, sizeof failed) == (long)sizeof failed ? failed : 0;
}

/* A pipe whose ends keep clear of 0, 1 and 2, where the child puts the command's descriptors. */
static bool
failure_pipe(int ends[2])
{
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  int end = ends[1];
  if (end > 2)
    return true;
  ends[1] = fcntl(end, F_DUPFD_CLOEXEC, 3);
  close(end);
  if (ends[1] < 0)
    close(ends[0]);
  return ends[1] >= 0;
}

int
kiln_supervise_start(char *const *argv, char *const *environment, int stdin_fd, int stdout_fd, int stderr_fd,
    unsigned how, uint64_t *start_ns, int *failed_errno)
{
  int ends[2];
  if (!failure_pipe(ends)) {
    *failed_errno = errno;
    return -1;
  }
  struct start start = {argv, environment, {stdin_fd, stdout_fd, stderr_fd}, how, getpid(), ends[1]};
  *start_ns = kiln_clock_now();
  pid_t pid = fork();
  if (pid == 0) {
    int failed = become_command(&start);
    kiln_fd_write(start.failure_fd, &failed, sizeof failed);
    _exit(127);
  }
  int failed = pid < 0 ? errno : 0;
  close(ends[1]);
  if (!failed)
    failed = read_failure(ends[0]);
  close(ends[0]);
  if (!failed)
    return pid;
  *failed_errno = failed;
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  return -1;
}

int
kiln_supervise_child_fd(void)
{
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &child, NULL) != 0)
    return -1;
  return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
kiln_supervise_child_fd_drain(int fd)
{
  struct signalfd_siginfo info;
  while (kiln_fd_read(fd, &info, sizeof info) > 0)
    ;
}

static uint64_t
to_ns(struct timeval time)
{
  return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000U;
}

bool
kiln_supervise_reap(struct kiln_reaped *reaped)
{
  struct rusage usage;
  int status;
  pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
  if (pid <= 0)
    return false;
  *reaped = (struct kiln_reaped){
      .pid = pid,
      .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
      .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
      .end_ns = kiln_clock_now(),
      .usage =
          {
              .user_ns = to_ns(usage.ru_utime),
              .system_ns = to_ns(usage.ru_stime),
              .max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024U,
              .minor_faults = (uint64_t)usage.ru_minflt,
              .major_faults = (uint64_t)usage.ru_majflt,
              .voluntary_switches = (uint64_t)usage.ru_nvcsw,
              .involuntary_switches = (uint64_t)usage.ru_nivcsw,
          },
  };
  return true;
}

bool
kiln_supervise_has_children(void)
{
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

bool
kiln_supervise_signal_group(int group, int signal)
{
  return kill(-group, signal) == 0;
}

bool
kiln_supervise_group_exists(int group)
{
  return kill(-group, 0) == 0 || errno == EPERM;
}

static void
kill_one(void *context, const struct kiln_proc *proc)
{
  int *killed = context;
  if (!kiln_proc_ended(proc) && kill(proc->pid, SIGKILL) == 0)
    *killed += 1;
}

int
kiln_supervise_kill_all(void)
{
  int killed = 0;
  kiln_proc_descendants(getpid(), kill_one, &killed);
  return killed;
}
