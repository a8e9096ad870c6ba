#include "jit/supervised.h"

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/module.h"
#include "os/path.h"
#include "os/runner.h"

#define SUPERVISOR "kiln-spawn"
#define MOST_OUTPUT ((size_t)256 << 10)
#define OUTPUT_LIMIT ((uint64_t)1 << 20)
#define WAIT_MS 100
#define SIGNAL_KILL 9 /* the C standard's signal.h does not name it */

void
kiln_command_result_init(struct kiln_command_result *result)
{
  *result = (struct kiln_command_result){.exit_code = 0};
  kiln_buf_init(&result->output);
}

void
kiln_command_result_release(struct kiln_command_result *result)
{
  kiln_buf_release(&result->output);
}

/* What was printed is a help for people: a file that cannot be read is an empty one. */
static void
take_output(struct kiln_command_result *result, const char *path)
{
  char bytes[4096];
  long got;
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return;
  while (result->output.len < MOST_OUTPUT && (got = kiln_fd_read(fd, bytes, sizeof bytes)) > 0)
    kiln_buf_append(&result->output, bytes, (size_t)got);
  kiln_fd_close(fd);
}

/* ---- under the supervisor ---- */

static enum kiln_status
judge(const struct kiln_command *command, const struct kiln_run_result *run, struct kiln_error *error)
{
  switch (run->end) {
  case KILN_RUN_NOT_STARTED:
    return kiln_error_system(error, KILN_ERROR_COMMAND, run->start_errno, "cannot start '%s'", command->argv[0]);
  case KILN_RUN_TIMEOUT:
    return kiln_error_set(
        error, KILN_ERROR_COMMAND, "'%s' did not end within %g s", command->argv[0], command->timeout_s);
  case KILN_RUN_INTERRUPTED:
    return kiln_error_set(error, KILN_ERROR_INTERRUPTED, "'%s' was stopped on request", command->argv[0]);
  default:
    return KILN_OK;
  }
}

/* Path of kiln-spawn into `path`; false when there is none: then children are started directly. Asked by a build and
 * not when a kiln is made, because a start that finds everything in the store has no use for it. KILN_LIBEXEC is an
 * order; without it the places of an installation and of a build tree are tried. */
static bool
find_supervisor(const struct kiln *kiln, struct kiln_buf *path)
{
  static const char *const places[] = {
      SUPERVISOR, "../libexec/kiln/" SUPERVISOR, "../../libexec/kiln/" SUPERVISOR, "../bin/" SUPERVISOR};
  struct kiln_buf folder, found;
  kiln_buf_init(&folder);
  kiln_buf_init(&found);
  if (kiln->options.libexec)
    kiln_text_join(&found, kiln->options.libexec, SUPERVISOR);
  else if (kiln_native_own_folder(&folder))
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
      if (kiln_file_executable(kiln_text_join(&found, kiln_buf_text(&folder), places[i])))
        break;
  const bool usable =
      found.len > 0 && kiln_file_executable(kiln_buf_text(&found)) && kiln_path_resolve(kiln_buf_text(&found), path);
  kiln_buf_release(&folder);
  kiln_buf_release(&found);
  return usable;
}

static enum kiln_status
run_supervised(struct kiln *kiln, const char *supervisor, const struct kiln_command *command,
    struct kiln_command_result *result, struct kiln_error *error)
{
  struct kiln_buf out, err;
  struct kiln_run_result run;
  kiln_buf_init(&out);
  kiln_buf_init(&err);
  const struct kiln_run_options options = {.supervisor = supervisor,
      .command = command->argv,
      .environment = command->environment,
      .stdout_path = kiln_text_join(&out, command->folder, "stdout"),
      .stderr_path = kiln_text_join(&err, command->folder, "stderr"),
      .late_output = true,
      .remove_on_owner_death = command->folder,
      .timeout_s = command->timeout_s,
      .low_priority = command->low_priority,
      .output_limit = OUTPUT_LIMIT,
      .tick = command->tick,
      .give_up = &kiln->closing,
      .context = command->context};
  enum kiln_status status = kiln_run(&options, &run, error);
  if (status == KILN_OK) {
    result->exit_code = run.exit_code;
    result->signal = run.signal;
    result->peak_bytes = run.usage.max_rss_bytes;
    take_output(result, kiln_buf_text(&out));
    take_output(result, kiln_buf_text(&err));
    status = judge(command, &run, error);
  }
  kiln_buf_release(&out);
  kiln_buf_release(&err);
  return status;
}

/* ---- directly ---- */

/* false: it ran into the time limit and was killed. */
static bool
wait_for(const struct kiln_command *command, int pid, struct kiln_exit *ended)
{
  const uint64_t begin = kiln_clock_now();
  while (!kiln_process_wait(pid, WAIT_MS, ended)) {
    if (command->tick)
      command->tick(command->context);
    if (command->timeout_s > 0 && (double)(kiln_clock_now() - begin) > command->timeout_s * 1e9) {
      kiln_process_kill(pid, SIGNAL_KILL);
      kiln_process_wait(pid, -1, ended);
      return false;
    }
  }
  return true;
}

enum kiln_status
kiln_command_ask(const struct kiln_command *command, struct kiln_command_result *result, struct kiln_error *error)
{
  struct kiln_buf path;
  struct kiln_exit ended = {0, 0};
  int pid;
  kiln_buf_init(&path);
  const struct kiln_spawn_options options = {.program = command->argv[0],
      .argv = command->argv,
      .environment = command->environment,
      .stdin_fd = -1,
      .output_path = kiln_text_join(&path, command->folder, "output")};
  enum kiln_status status = kiln_process_spawn(&options, &pid, error);
  if (status == KILN_OK && !wait_for(command, pid, &ended))
    status =
        kiln_error_set(error, KILN_ERROR_COMMAND, "'%s' did not end within %g s", command->argv[0], command->timeout_s);
  if (status == KILN_OK) {
    result->exit_code = ended.code;
    result->signal = ended.signal;
    take_output(result, kiln_buf_text(&path));
  }
  kiln_buf_release(&path);
  return status;
}

enum kiln_status
kiln_command_run(
    struct kiln *kiln, const struct kiln_command *command, struct kiln_command_result *result, struct kiln_error *error)
{
  struct kiln_buf supervisor;
  kiln_buf_init(&supervisor);
  const enum kiln_status status = find_supervisor(kiln, &supervisor)
                                      ? run_supervised(kiln, kiln_buf_text(&supervisor), command, result, error)
                                      : kiln_command_ask(command, result, error);
  kiln_buf_release(&supervisor);
  return status;
}
