#include "os/guard.h"

#include <stdio.h>
#include <string.h>

#include "os/file.h"
#include "os/process.h"

#define PATIENCE_MS 5000
#define SIGNAL_KILL 9

enum kiln_status
kiln_guard_start(const char *supervisor, struct kiln_guard *guard, struct kiln_error *error)
{
  int ends[2];
  char number[16];
  *guard = (struct kiln_guard){0, {-1, -1}};
  if (!kiln_pipe(ends))
    return kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no pipe can be made: too many files are open");
  snprintf(number, sizeof number, "%d", ends[0]);
  char *const environment[] = {NULL};
  const struct kiln_spawn_options options = {.program = supervisor,
      .argv = (char *const[]){(char *)supervisor, (char *)"--guard", number, NULL},
      .environment = environment,
      .stdin_fd = -1,
      .output_path = "/dev/null",
      .keep = {ends[0]},
      .keep_count = 1};
  const enum kiln_status status = kiln_process_spawn(&options, &guard->pid, error);
  if (status == KILN_OK) {
    guard->pipe[0] = ends[0];
    guard->pipe[1] = ends[1];
    return KILN_OK;
  }
  kiln_fd_close(ends[0]);
  kiln_fd_close(ends[1]);
  return KILN_ERROR_ENVIRONMENT;
}

bool
kiln_guard_name(struct kiln_guard *guard, const char *folder)
{
  const size_t len = strlen(folder) + 1; /* the NUL ends the name */
  return guard->pid > 0 && kiln_fd_write_once(guard->pipe[1], folder, len) == (long)len;
}

void
kiln_guard_end(struct kiln_guard *guard)
{
  struct kiln_exit ended;
  if (guard->pid <= 0)
    return;
  kiln_fd_write_once(guard->pipe[1], "", 1); /* an empty name: well done */
  kiln_fd_close(guard->pipe[1]);
  kiln_fd_close(guard->pipe[0]);
  if (!kiln_process_wait(guard->pid, PATIENCE_MS, &ended)) {
    kiln_process_kill(guard->pid, SIGNAL_KILL);
    kiln_process_wait(guard->pid, -1, &ended);
  }
  *guard = (struct kiln_guard){0, {-1, -1}};
}
