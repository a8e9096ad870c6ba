/*
 * kiln-spawn: runs one command, takes its output, and leaves no process of it behind.
 *
 * It is a process of its own so that it outlives its owner (kiln): when the owner's pipe closes, it kills every
 * descendant of the command, removes the folder it was told to, and ends. On the owner's pipe the byte 'K' means "kill
 * now"; 'T' and 'I' mean "ask the command to end": its process group gets SIGTERM or SIGINT and STOP_NS to obey. What
 * it reports is described in libexec/status.h.
 *
 * Phases: run (until the command has ended, or 'K', or the owner died, or the time to obey is over); grace (descendants
 * that end by themselves, such as helpers that notice a closed pipe, may do so); kill (until none is left); then the
 * output files are completed. The pipes are never waited for: a background process may hold them for ever.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "libexec/guard.h"
#include "libexec/line_watch.h"
#include "libexec/options.h"
#include "libexec/status.h"
#include "libexec/stream.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/runner.h"
#include "os/supervise.h"

#define MILLISECOND UINT64_C(1000000)
#define GRACE_NS (100 * MILLISECOND)
#define STOP_NS (5000 * MILLISECOND)
#define KILL_NS (5000 * MILLISECOND)
#define WAIT_MS 1000 /* a wake-up that was lost costs this much, not the run */

struct supervisor {
  const struct kiln_supervisor_options *options;
  int owner, child_fd;
  struct kiln_stream out, err;
  struct kiln_pattern *pattern; /* of --until-output; freed by the end of the process */
  struct kiln_line_watch out_watch, err_watch;
  struct kiln_supervisor_tally tally;
  int command;      /* pid; 0 before it starts and after it was reaped */
  int group;        /* the command's process group; 0: it was not started */
  int stop_asked;   /* signal by which the owner wants the command to end; 0: none */
  uint64_t stop_ns; /* when it was sent; 0: not yet */
  bool kill_asked, owner_gone, killing, ready_told;
};

static void
usage_add(struct kiln_usage *sum, const struct kiln_usage *one)
{
  sum->user_ns += one->user_ns;
  sum->system_ns += one->system_ns;
  sum->minor_faults += one->minor_faults;
  sum->major_faults += one->major_faults;
  sum->voluntary_switches += one->voluntary_switches;
  sum->involuntary_switches += one->involuntary_switches;
  if (one->max_rss_bytes > sum->max_rss_bytes)
    sum->max_rss_bytes = one->max_rss_bytes;
}

/* A line that nobody reads means the same as a closed owner pipe. */
static void
told(struct supervisor *spawn, bool sent)
{
  if (!sent)
    spawn->owner_gone = true;
}

static void
reap_all(struct supervisor *spawn)
{
  struct kiln_reaped reaped;
  while (kiln_supervise_reap(&reaped)) {
    spawn->tally.reaped++;
    usage_add(&spawn->tally.usage, &reaped.usage);
    if (reaped.pid == spawn->command) {
      spawn->command = 0;
      told(spawn, kiln_status_exited(spawn->options->status, &reaped, spawn->killing, spawn->stop_ns != 0));
    } else if (spawn->killing && reaped.signal != 0) {
      spawn->tally.killed++;
    }
  }
}

static void
owner_listen(struct supervisor *spawn)
{
  char bytes[16];
  const long got = kiln_fd_read(spawn->owner, bytes, sizeof bytes);
  if (got > 0) {
    if (memchr(bytes, 'K', (size_t)got) != NULL)
      spawn->kill_asked = true;
    else if (memchr(bytes, 'I', (size_t)got) != NULL)
      spawn->stop_asked = SIGINT;
    else if (memchr(bytes, 'T', (size_t)got) != NULL)
      spawn->stop_asked = SIGTERM;
    return;
  }
  spawn->owner_gone = true;
  kiln_fd_close(spawn->owner);
  spawn->owner = -1;
}

static void
tell_ready(struct supervisor *spawn)
{
  if (spawn->ready_told || (!spawn->out_watch.found && !spawn->err_watch.found))
    return;
  spawn->ready_told = true;
  told(spawn, kiln_status_ready(spawn->options->status, kiln_clock_now()));
}

/* Wait for whatever comes first and deal with it. */
static void
pump(struct supervisor *spawn, int timeout_ms)
{
  const int fds[] = {spawn->child_fd, spawn->owner, spawn->out.pipe, spawn->err.pipe};
  const int ready = kiln_poll(fds, 4, timeout_ms);
  if (ready > 0) {
    if ((ready & 1) != 0)
      kiln_supervise_child_fd_drain(spawn->child_fd);
    if ((ready & 2) != 0)
      owner_listen(spawn);
    if ((ready & 4) != 0)
      kiln_stream_pump(&spawn->out);
    if ((ready & 8) != 0)
      kiln_stream_pump(&spawn->err);
    tell_ready(spawn);
  }
  if (ready <= 0 || (ready & 1) != 0)
    reap_all(spawn);
}

static bool
must_kill(const struct supervisor *spawn)
{
  return spawn->kill_asked || spawn->owner_gone;
}

/* Ask once; false when the time to obey is over. */
static bool
may_go_on(struct supervisor *spawn)
{
  if (spawn->stop_asked != 0 && spawn->stop_ns == 0 && spawn->group != 0) {
    spawn->stop_ns = kiln_clock_now();
    kiln_supervise_signal_group(spawn->group, spawn->stop_asked);
  }
  return spawn->stop_ns == 0 || kiln_clock_now() < spawn->stop_ns + STOP_NS;
}

static void
run_phase(struct supervisor *spawn)
{
  while (spawn->command != 0 && !must_kill(spawn) && may_go_on(spawn))
    pump(spawn, spawn->stop_ns != 0 ? 100 : WAIT_MS);
}

/* The command of a group that was asked to end may be gone before its workers have put their things away. */
static void
stop_phase(struct supervisor *spawn)
{
  while (spawn->stop_ns != 0 && !must_kill(spawn) && may_go_on(spawn) && kiln_supervise_group_exists(spawn->group))
    pump(spawn, 10);
}

static void
grace_phase(struct supervisor *spawn)
{
  const uint64_t end = kiln_clock_now() + GRACE_NS;
  while (!must_kill(spawn) && kiln_supervise_has_children() && kiln_clock_now() < end)
    pump(spawn, 10);
}

/* A process that forks while it is being killed is found by the next round. */
static void
kill_phase(struct supervisor *spawn)
{
  const uint64_t end = kiln_clock_now() + KILL_NS;
  spawn->killing = true;
  while (kiln_supervise_has_children()) {
    if (kiln_clock_now() > end) {
      spawn->tally.survivors = true;
      return;
    }
    kiln_supervise_kill_all();
    pump(spawn, 5);
    reap_all(spawn);
  }
}

static void
finish(struct supervisor *spawn)
{
  kiln_stream_drain(&spawn->out);
  kiln_stream_drain(&spawn->err);
  kiln_line_watch_end(&spawn->out_watch);
  kiln_line_watch_end(&spawn->err_watch);
  tell_ready(spawn);
  kiln_stream_finish(&spawn->out);
  kiln_stream_finish(&spawn->err);
  told(spawn, kiln_status_done(spawn->options->status, &spawn->tally, &spawn->out, &spawn->err));
}

/* Nobody will read the output: the folder that holds it goes. A second try, because the system may finish the last
 * operation of a killed process after its end was reported. */
static void
bury(const struct supervisor *spawn)
{
  if (spawn->options->remove == NULL)
    return;
  for (int attempt = 0; attempt < 3; attempt++) {
    if (kiln_folder_remove_marked(spawn->options->remove, KILN_SANDBOX_OWNER, NULL) == KILN_OK)
      return;
    kiln_clock_sleep(50 * MILLISECOND);
  }
}

/* A pipe for the command, the file it goes to, and the stream between them. */
static enum kiln_status
stream_open(
    struct supervisor *spawn, const char *path, struct kiln_stream *stream, int *write_end, struct kiln_error *error)
{
  int ends[2];
  const bool late = spawn->options->late_output;
  const int file = late ? -1 : kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_CREATE | KILN_OPEN_TRUNCATE);
  if (file < 0 && !late)
    return kiln_error_system(error, KILN_ERROR_ENVIRONMENT, errno, "the output file '%s' cannot be created", path);
  if (!kiln_pipe(ends))
    return kiln_error_system(error, KILN_ERROR_ENVIRONMENT, errno, "no pipe can be made for '%s'", path);
  if (late)
    kiln_stream_init_late(stream, ends[0], path, spawn->options->limit);
  else
    kiln_stream_init(stream, ends[0], file, spawn->options->limit);
  *write_end = ends[1];
  return KILN_OK;
}

/* The supervisor itself must run without the command's preloaded libraries: they would observe it as well. */
static int
start_with_preload(
    const struct kiln_supervisor_options *options, int input, const int outputs[2], uint64_t *t, int *failed_errno)
{
  struct kiln_environment env;
  kiln_environment_init(&env);
  kiln_environment_copy_current(&env);
  if (options->preload != NULL)
    kiln_environment_set(&env, "LD_PRELOAD", options->preload);
  int pid = -1;
  *failed_errno = ENOMEM;
  if (!env.failed)
    pid = kiln_supervise_start(options->command, env.entries, input, outputs[0], outputs[1],
        (options->inherit ? KILN_START_INHERIT : 0U) | (options->low_priority ? KILN_START_LOW : 0U), t, failed_errno);
  kiln_environment_release(&env);
  return pid;
}

/* The command ran, or exec was refused: both are answers. */
static void
start_command(struct supervisor *spawn, int input, const int outputs[2])
{
  uint64_t t = kiln_clock_now();
  int failed_errno = 0;
  const int pid = start_with_preload(spawn->options, input, outputs, &t, &failed_errno);
  /* The write ends belong to the command alone, so that its end closes them. */
  if (!spawn->options->plain_output) {
    kiln_fd_close(outputs[0]);
    kiln_fd_close(outputs[1]);
  }
  spawn->group = spawn->command = pid < 0 ? 0 : pid;
  told(spawn, pid < 0 ? kiln_status_not_started(spawn->options->status, failed_errno, t)
                      : kiln_status_started(spawn->options->status, pid, t));
}

static enum kiln_status
open_outputs(struct supervisor *spawn, int outputs[2], struct kiln_error *error)
{
  const struct kiln_supervisor_options *options = spawn->options;
  if (options->plain_output) {
    kiln_stream_init(&spawn->out, -1, -1, 0);
    kiln_stream_init(&spawn->err, -1, -1, 0);
    outputs[0] = 1;
    outputs[1] = 2;
    return KILN_OK;
  }
  enum kiln_status status = stream_open(spawn, options->stdout_path, &spawn->out, &outputs[0], error);
  if (status == KILN_OK)
    status = stream_open(spawn, options->stderr_path, &spawn->err, &outputs[1], error);
  if (status == KILN_OK && options->until_output != NULL)
    status = kiln_pattern_new(options->until_output, &spawn->pattern, error);
  kiln_line_watch_init(&spawn->out_watch, spawn->pattern);
  kiln_line_watch_init(&spawn->err_watch, spawn->pattern);
  spawn->out.watch = &spawn->out_watch;
  spawn->err.watch = &spawn->err_watch;
  return status;
}

static enum kiln_status
prepare(struct supervisor *spawn, int *input, int outputs[2], struct kiln_error *error)
{
  const struct kiln_supervisor_options *options = spawn->options;
  const enum kiln_status refused = KILN_ERROR_ENVIRONMENT;
  if (!kiln_fd_close_on_exec(options->owner) || !kiln_fd_close_on_exec(options->status))
    return kiln_error_system(error, refused, errno, "descriptor %d or %d is not open", options->owner, options->status);
  if (!options->inherit)
    kiln_supervise_close_others(options->owner, options->status);
  if (!kiln_supervise_begin())
    return kiln_error_system(error, refused, errno, "this system does not let a process supervise its descendants");
  spawn->child_fd = kiln_supervise_child_fd();
  if (spawn->child_fd < 0)
    return kiln_error_system(error, refused, errno, "the end of a child cannot be watched");
  *input = options->terminal_input ? 0 : kiln_fd_open("/dev/null", KILN_OPEN_READ);
  if (*input < 0)
    return kiln_error_system(error, refused, errno, "'/dev/null' cannot be opened");
  return open_outputs(spawn, outputs, error);
}

static int
supervise(const struct kiln_supervisor_options *options)
{
  struct supervisor spawn = {.options = options, .owner = options->owner};
  struct kiln_error error = {.sys_errno = 0};
  int input = -1, outputs[2] = {-1, -1};
  if (prepare(&spawn, &input, outputs, &error) != KILN_OK) {
    kiln_status_failed(options->status, error.what, error.sys_errno);
    return 5;
  }
  start_command(&spawn, input, outputs);
  run_phase(&spawn);
  stop_phase(&spawn);
  grace_phase(&spawn);
  kill_phase(&spawn);
  if (!spawn.owner_gone)
    finish(&spawn);
  if (spawn.owner_gone)
    bury(&spawn);
  return 0;
}

int
main(int argc, char **argv)
{
  struct kiln_supervisor_options options;
  struct kiln_error error;
  uint64_t fd;
  if (argc < 1)
    return 2;
  if (argc == 3 && strcmp(argv[1], "--guard") == 0 && kiln_text_parse_uint(argv[2], &fd) && fd <= INT_MAX)
    return kiln_guard_run((int)fd);
  if (kiln_supervisor_options_parse(argv, &options, &error) != KILN_OK) {
    fprintf(stderr, "%s\n%s", error.what, KILN_SPAWN_USAGE);
    return 2;
  }
  return supervise(&options);
}
