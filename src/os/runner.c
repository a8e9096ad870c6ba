#include "os/runner.h"

#include <string.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/listen.h"
#include "os/proc.h"
#include "os/process.h"
#include "os/run_status.h"
#include "os/supervisor.h"

#define SECOND UINT64_C(1000000000)
#define TICK_NS (SECOND / 10)
#define LOOK_NS (SECOND / 100)    /* how often the criteria of readiness are looked at */
#define LOOK_SHARE 50             /* looking takes at most one part in so many of a processor */
#define SETTLE_NS (SECOND / 4)    /* what dies within it has died by itself */
#define STOP_NS (5 * SECOND)      /* the supervisor's patience with a command that was asked to end */
#define PATIENCE_NS (60 * SECOND) /* for a supervisor that was told to end the run, or has seen its end */
#define LONGEST_TIMEOUT_S 1e9     /* 30 years: "none" */
#define SIGNAL_KILL 9             /* the C standard's signal.h does not name it */

struct run {
  const struct kiln_run_options *options;
  struct kiln_run_result *result;
  struct kiln_run_status status;
  int owner[2];      /* both ends: with a reader of its own, a write after the supervisor's death is no SIGPIPE */
  int lines, pid;    /* read end of the status pipe; the supervisor */
  uint64_t deadline; /* of the command; UINT64_MAX: none */
  uint64_t give_up;  /* on the supervisor; UINT64_MAX: not yet */
  uint64_t next_tick, next_look;
  uint64_t settled;        /* when a ready command is asked to end; UINT64_MAX: it is not ready */
  enum kiln_run_end asked; /* why the supervisor was told to end the run; ENDED: it was not */
};

static void
pipes_close(const struct run *run)
{
  kiln_fd_close(run->owner[0]);
  kiln_fd_close(run->owner[1]);
  kiln_fd_close(run->lines);
}

static enum kiln_status
supervisor_start(struct run *run, struct kiln_error *error)
{
  int lines[2];
  if (!kiln_pipe(run->owner))
    return kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no pipe can be made: too many files are open");
  if (!kiln_pipe(lines)) {
    kiln_fd_close(run->owner[0]);
    kiln_fd_close(run->owner[1]);
    return kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no pipe can be made: too many files are open");
  }
  const enum kiln_status status = kiln_supervisor_start(run->options, run->owner[0], lines[1], &run->pid, error);
  kiln_fd_close(lines[1]);
  run->lines = lines[0];
  if (status != KILN_OK)
    pipes_close(run);
  return status;
}

/* ---- while it runs ---- */

static bool
is_over(const struct run *run)
{
  return run->status.exited || run->status.not_started;
}

/* order: a byte that libexec/kiln_spawn.c explains. */
static void
ask_to_end(struct run *run, enum kiln_run_end why, const char *order, uint64_t patience)
{
  if (is_over(run))
    return;
  run->asked = why;
  run->give_up = kiln_clock_now() + patience;
  kiln_fd_write_once(run->owner[1], order, 1);
}

static void
note_ready(struct run *run, uint64_t now)
{
  if (run->settled != UINT64_MAX)
    return;
  if (!run->result->ready) {
    run->result->ready = true;
    run->result->ready_ns = now;
  }
  run->result->ready_cpu_ns = kiln_proc_tree_cpu(run->pid);
  run->settled = now + SETTLE_NS;
  run->deadline = UINT64_MAX; /* the limit was for getting ready */
}

/* The supervisor sees the output; ports and callbacks are asked here. */
static void
look_for_ready(struct run *run, uint64_t now)
{
  const struct kiln_run_ready *ready = run->options->ready;
  if (ready == NULL || run->settled != UINT64_MAX || !run->status.started || run->asked != KILN_RUN_ENDED)
    return;
  if (!run->result->ready && now >= run->next_look) {
    const bool reached = (ready->port > 0 && !is_over(run) && kiln_port_listens(run->result->pid, ready->port)) ||
                         (ready->reached != NULL && ready->reached(ready->context));
    const uint64_t seen = kiln_clock_now(), pause = (seen - now) * LOOK_SHARE;
    run->next_look = seen + (pause > LOOK_NS ? pause : LOOK_NS);
    if (reached)
      note_ready(run, seen);
  } else if (run->result->ready) {
    note_ready(run, now);
  }
}

static void
watch_interrupt(struct run *run)
{
  const bool given_up = run->options->give_up != NULL && atomic_load(run->options->give_up);
  if ((kiln_interrupt_seen() == 0 && !given_up) || run->asked == KILN_RUN_INTERRUPTED)
    return;
  if (run->options->plain_output)
    ask_to_end(run, KILN_RUN_INTERRUPTED, "I", STOP_NS + PATIENCE_NS);
  else
    ask_to_end(run, KILN_RUN_INTERRUPTED, "K", PATIENCE_NS);
}

static void
watch_clock(struct run *run)
{
  const uint64_t now = kiln_clock_now();
  watch_interrupt(run);
  look_for_ready(run, now);
  if (now >= run->deadline && run->asked == KILN_RUN_ENDED)
    ask_to_end(run, KILN_RUN_TIMEOUT, "K", PATIENCE_NS);
  if (now >= run->settled && run->asked == KILN_RUN_ENDED)
    ask_to_end(run, KILN_RUN_READY, "T", STOP_NS + PATIENCE_NS);
  if (is_over(run) && run->give_up == UINT64_MAX)
    run->give_up = now + PATIENCE_NS;
  if (now < run->next_tick)
    return;
  run->next_tick = now + TICK_NS;
  if (run->options->tick != NULL)
    run->options->tick(run->options->context);
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Milliseconds until something is due; rounded up, so that a deadline is not polled for. */
static int
wait_ms(const struct run *run)
{
  const uint64_t now = kiln_clock_now();
  uint64_t due = run->next_tick;
  if (run->asked == KILN_RUN_ENDED && !run->status.exited)
    due = earlier(due, earlier(run->deadline, run->settled));
  if (run->options->ready != NULL && run->settled == UINT64_MAX && !is_over(run))
    due = earlier(due, run->next_look);
  return due <= now ? 0 : (int)((due - now) / 1000000 + 1);
}

static enum kiln_status
lost(const struct run *run, const struct kiln_exit *ended, struct kiln_error *error)
{
  if (ended == NULL)
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the supervisor '%s' does not answer", run->options->supervisor);
  else if (ended->signal != 0)
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the supervisor '%s' was killed by signal %d during the run",
        run->options->supervisor, ended->signal);
  else
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "the supervisor '%s' ended with status %d during the run",
        run->options->supervisor, ended->code);
  kiln_error_advise(error, "Measure again; if it happens again, look in the system's log for who killed it.");
  return KILN_ERROR_ENVIRONMENT;
}

/* Read lines until the last one. *ended: the supervisor closed its pipe before it. */
static enum kiln_status
follow(struct run *run, bool *ended, struct kiln_error *error)
{
  char bytes[1024];
  *ended = false;
  while (!run->status.done) {
    watch_clock(run);
    if (kiln_clock_now() >= run->give_up)
      return lost(run, NULL, error);
    if (kiln_poll(&run->lines, 1, wait_ms(run)) <= 0)
      continue;
    const long got = kiln_fd_read(run->lines, bytes, sizeof bytes);
    if (got <= 0) {
      *ended = true;
      return KILN_ERROR_ENVIRONMENT;
    }
    const enum kiln_status status = kiln_run_status_take(&run->status, bytes, (size_t)got, run->result, error);
    if (status != KILN_OK)
      return status;
  }
  return KILN_OK;
}

/* ---- the end ---- */

/* What a supervisor that failed may have left: first it gets the chance to clean up, then the sandbox's mark finds the
 * processes that it no longer can. */
static void
clean_up(const struct run *run, struct kiln_exit *ended)
{
  kiln_fd_write_once(run->owner[1], "K", 1);
  if (!kiln_process_wait(run->pid, 6000, ended)) {
    kiln_process_kill(run->pid, SIGNAL_KILL);
    kiln_process_wait(run->pid, -1, ended);
  }
  const char *mark = kiln_supervisor_variable(run->options->environment, KILN_SANDBOX_VARIABLE);
  if (mark != NULL && mark[0] != '\0')
    kiln_process_kill_marked(KILN_SANDBOX_VARIABLE, mark);
}

/* Launches between the last look and the end count, and so does output that lay in the pipe. */
static void
conclude_ready(const struct run *run)
{
  const struct kiln_run_ready *ready = run->options->ready;
  struct kiln_run_result *result = run->result;
  if (ready != NULL && !result->ready && result->end == KILN_RUN_ENDED && ready->reached != NULL &&
      ready->reached(ready->context)) {
    result->ready = true;
    result->ready_ns = result->end_ns;
  }
  if (!result->ready)
    return;
  if (result->ready_ns >= result->end_ns)
    result->ready_ns = result->end_ns;
  const uint64_t whole = result->usage.user_ns + result->usage.system_ns;
  if (run->settled == UINT64_MAX || result->ready_cpu_ns > whole)
    result->ready_cpu_ns = whole;
}

/* A command that ended before the supervisor began to end it has ended by itself, even if kiln had asked by then. */
static enum kiln_status
conclude(const struct run *run, struct kiln_error *error)
{
  struct kiln_run_result *result = run->result;
  if (run->status.not_started)
    return KILN_OK;
  if (!run->status.exited && run->asked == KILN_RUN_ENDED)
    return lost(run, NULL, error);
  result->end = run->asked;
  if (!run->status.exited)
    result->end_ns = kiln_clock_now(); /* it survived SIGKILL */
  else if (!run->status.killed && !run->status.stopped)
    result->end = KILN_RUN_ENDED;
  conclude_ready(run);
  return KILN_OK;
}

static enum kiln_status
check(const struct kiln_run_options *options, struct kiln_error *error)
{
  const bool files = options->stdout_path != NULL && options->stderr_path != NULL;
  if (options->supervisor == NULL || options->command == NULL || options->command[0] == NULL ||
      options->environment == NULL || (!files && !options->plain_output))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "a run needs a supervisor, a command, an environment and files");
  if (!(options->timeout_s >= 0))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "a time limit of %g s is not allowed", options->timeout_s);
  if (options->ready != NULL && options->ready->port > 0 && kiln_port_listens(0, options->ready->port)) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "something listens on port %d already, so that nothing could be seen",
        options->ready->port);
    kiln_error_advise(error, "End that program, or let the command listen on another port.");
    return KILN_ERROR_ENVIRONMENT;
  }
  return KILN_OK;
}

static void
run_init(struct run *run, const struct kiln_run_options *options, struct kiln_run_result *result)
{
  const uint64_t now = kiln_clock_now();
  const bool limited = options->timeout_s > 0 && options->timeout_s < LONGEST_TIMEOUT_S;
  memset(result, 0, sizeof *result);
  run->options = options;
  run->result = result;
  kiln_run_status_init(&run->status);
  run->deadline = limited ? now + (uint64_t)(options->timeout_s * (double)SECOND) : UINT64_MAX;
  run->give_up = UINT64_MAX;
  run->next_tick = now + TICK_NS;
  run->next_look = now;
  run->settled = UINT64_MAX;
  run->asked = KILN_RUN_ENDED;
}

enum kiln_status
kiln_run(const struct kiln_run_options *options, struct kiln_run_result *result, struct kiln_error *error)
{
  struct run run;
  struct kiln_exit exited = {0, 0};
  bool ended = false;
  enum kiln_status status = check(options, error);
  if (status != KILN_OK)
    return status;
  run_init(&run, options, result);
  status = supervisor_start(&run, error);
  if (status != KILN_OK)
    return status;
  status = follow(&run, &ended, error);
  if (status == KILN_OK)
    kiln_process_wait(run.pid, -1, &exited);
  else
    clean_up(&run, &exited);
  if (ended)
    lost(&run, &exited, error);
  pipes_close(&run);
  return status == KILN_OK ? conclude(&run, error) : status;
}
