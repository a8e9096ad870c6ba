#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/process.h"

/* Every signal at its default and none blocked, whatever kiln itself was started with. */
static int
prepare_signals(posix_spawnattr_t *attributes)
{
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int failed = posix_spawnattr_setsigdefault(attributes, &all);
  if (!failed)
    failed = posix_spawnattr_setsigmask(attributes, &none);
  if (!failed)
    failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  return failed;
}

static bool
is_kept(const struct kiln_spawn_options *options, int fd)
{
  for (int i = 0; i < options->keep_count; i++)
    if (options->keep[i] == fd)
      return true;
  return false;
}

/* kiln's own descriptors close themselves; those that it inherited from its caller are closed here. */
static int
close_inherited(const struct kiln_spawn_options *options, posix_spawn_file_actions_t *actions)
{
  DIR *stream = opendir("/proc/self/fd");
  int failed = 0;
  if (!stream)
    return 0;
  for (struct dirent *entry = readdir(stream); entry && !failed; entry = readdir(stream)) {
    uint64_t number;
    if (!kiln_text_parse_uint(entry->d_name, &number) || number <= STDERR_FILENO || number > INT32_MAX)
      continue;
    int fd = (int)number, flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && !is_kept(options, fd))
      failed = posix_spawn_file_actions_addclose(actions, fd);
  }
  closedir(stream);
  return failed;
}

static int
prepare_descriptors(const struct kiln_spawn_options *options, posix_spawn_file_actions_t *actions)
{
  int failed = 0;
  if (options->stdin_fd < 0)
    failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  else if (options->stdin_fd > 0)
    failed = posix_spawn_file_actions_adddup2(actions, options->stdin_fd, STDIN_FILENO);
  if (!failed && options->output_path)
    failed = posix_spawn_file_actions_addopen(
        actions, STDOUT_FILENO, options->output_path, O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  if (!failed && options->output_path)
    failed = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
  /* A descriptor duplicated onto itself stays open across exec. */
  for (int i = 0; i < options->keep_count && !failed; i++)
    failed = posix_spawn_file_actions_adddup2(actions, options->keep[i], options->keep[i]);
  if (!failed && !options->inherit)
    failed = close_inherited(options, actions);
  return failed;
}

static int
spawn(const struct kiln_spawn_options *options, int *pid)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed)
    return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    failed = prepare_signals(&attributes);
    if (!failed)
      failed = prepare_descriptors(options, &actions);
    pid_t child = 0;
    if (!failed)
      failed = posix_spawn(&child, options->program, &actions, &attributes, options->argv, options->environment);
    if (!failed)
      *pid = child;
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

enum kiln_status
kiln_process_spawn(const struct kiln_spawn_options *options, int *pid, struct kiln_error *error)
{
  if (options->keep_count < 0 || options->keep_count > 4)
    return kiln_error_set(
        error, KILN_ERROR_ARGUMENT, "%d descriptors cannot be kept open, at most 4", options->keep_count);
  int failed = spawn(options, pid);
  if (!failed)
    return KILN_OK;
  bool shortage = failed == EAGAIN || failed == ENOMEM || failed == EMFILE || failed == ENFILE;
  enum kiln_status status = shortage ? KILN_ERROR_ENVIRONMENT : KILN_ERROR_COMMAND;
  kiln_error_system(error, status, failed, "cannot start '%s'", options->program);
  kiln_error_advise(error, "%s",
      shortage ? "Free memory or processes, or raise the limits (ulimit -a)."
               : "Check that the program exists and may be executed.");
  return status;
}
