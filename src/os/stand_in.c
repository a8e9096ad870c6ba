#include "os/stand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What others may send to this process and mean for the program. */
static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGALRM, SIGWINCH};

static void
block_signals(sigset_t *set, sigset_t *before)
{
  sigemptyset(set);
  sigaddset(set, SIGCHLD);
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    sigaddset(set, passed[i]);
  sigprocmask(SIG_BLOCK, set, before);
}

/* In the child: never returns. The owner may have died before the request to die with it. */
static void
become(char *const *argv, char *const *environment, const sigset_t *before, int report, pid_t owner)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == owner) {
    sigprocmask(SIG_SETMASK, before, NULL);
    execvpe(argv[0], argv, environment);
    int failed = errno;
    (void)!write(report, &failed, sizeof failed);
  }
  _exit(127);
}

/* Whether exec succeeded: its end of the pipe closes then. 0, or the system's number. */
static int
read_report(int fd)
{
  int failed = 0;
  ssize_t got;
  do
    got = read(fd, &failed, sizeof failed);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof failed ? failed : 0;
}

/* A child changed: true when it ended. */
static bool
take_child(pid_t child, struct kiln_exit *result)
{
  int status;
  while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
    if (WIFSTOPPED(status)) {
      kill(getpid(), SIGSTOP); /* for the shell, which looks at this process */
      continue;
    }
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return true;
  }
  return false;
}

/* The kernel sends a terminal's signals to the whole group, so the program has them already. */
static void
attend(pid_t child, const sigset_t *set, struct kiln_exit *result)
{
  siginfo_t info;
  while (!take_child(child, result)) {
    int number = sigwaitinfo(set, &info);
    if (number > 0 && number != SIGCHLD && info.si_code <= 0)
      kill(child, number);
  }
}

static pid_t
start(char *const *argv, char *const *environment, const sigset_t *before, int *failed)
{
  int ends[2];
  const pid_t owner = getpid();
  if (pipe2(ends, O_CLOEXEC) != 0) {
    *failed = errno;
    return -1;
  }
  pid_t child = fork();
  if (child == 0)
    become(argv, environment, before, ends[1], owner);
  *failed = child < 0 ? errno : 0;
  close(ends[1]);
  if (child > 0)
    *failed = read_report(ends[0]);
  close(ends[0]);
  if (child > 0 && *failed)
    waitpid(child, NULL, 0);
  return child;
}

enum kiln_status
kiln_stand_in(char *const *argv, char *const *environment, struct kiln_exit *result, struct kiln_error *error)
{
  sigset_t set, before;
  struct sigaction plain = {.sa_handler = SIG_DFL}, old;
  int failed = 0;
  sigemptyset(&plain.sa_mask);
  sigaction(SIGCHLD, &plain, &old); /* ignored, it would leave nothing to wait for */
  block_signals(&set, &before);
  pid_t child = start(argv, environment, &before, &failed);
  if (failed) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCHLD, &old, NULL);
    bool shortage = child < 0 || failed == EAGAIN || failed == ENOMEM;
    kiln_error_system(
        error, shortage ? KILN_ERROR_ENVIRONMENT : KILN_ERROR_COMMAND, failed, "cannot start '%s'", argv[0]);
    kiln_error_advise(error, "%s",
        shortage ? "Free memory or processes, or raise the limits (ulimit -a)."
                 : "Check that the program exists and may be executed.");
    return shortage ? KILN_ERROR_ENVIRONMENT : KILN_ERROR_COMMAND;
  }
  attend(child, &set, result);
  sigprocmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGCHLD, &old, NULL);
  return KILN_OK;
}

void
kiln_stand_in_end(const struct kiln_exit *result)
{
  if (result->signal != 0) {
    struct rlimit none = {0, 0};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t one;
    sigemptyset(&plain.sa_mask);
    setrlimit(RLIMIT_CORE, &none);
    sigaction(result->signal, &plain, NULL);
    sigemptyset(&one);
    sigaddset(&one, result->signal);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(result->signal);
    exit(128 + result->signal);
  }
  exit(result->code);
}
