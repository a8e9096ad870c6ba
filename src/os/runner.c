#include "os/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/run_status.h"

#define SECOND UINT64_C(1000000000)
#define TICK_NS (SECOND / 10)
#define PATIENCE_NS (60 * SECOND) /* for a supervisor that was told to end the run, or has seen its end */
#define LONGEST_TIMEOUT_S 1e9     /* 30 years: "none" */
#define FIXED_WORDS 20            /* more than kiln-spawn has options, with their values, "--" and the NULL */
#define PRELOAD "LD_PRELOAD"
#define SIGNAL_KILL 9 /* the C standard's signal.h does not name it */

struct run {
  const struct kiln_run_options *options;
  struct kiln_run_result *result;
  struct kiln_run_status status;
  int owner[2];      /* both ends: with a reader of its own, a write after the supervisor's death is no SIGPIPE */
  int lines, pid;    /* read end of the status pipe; the supervisor */
  uint64_t deadline; /* of the command; UINT64_MAX: none */
  uint64_t give_up;  /* on the supervisor; UINT64_MAX: not yet */
  uint64_t next_tick;
  enum kiln_run_end asked; /* why the supervisor was told to kill; ENDED: it was not */
};

/* ---- starting the supervisor ---- */

struct supervisor_words {
  const char **argv;
  size_t count;
  char owner[16], status[16], limit[24];
};

static void
word(struct supervisor_words *words, const char *text)
{
  words->argv[words->count++] = text;
}

static void
option(struct supervisor_words *words, const char *name, const char *value)
{
  if (value == NULL)
    return;
  word(words, name);
  word(words, value);
}

static const char *
variable_value(const char *entry, const char *name)
{
  const size_t len = strlen(name);
  return strncmp(entry, name, len) == 0 && entry[len] == '=' ? entry + len + 1 : NULL;
}

static const char *
environment_value(char *const *environment, const char *name)
{
  for (; *environment != NULL; environment++) {
    const char *value = variable_value(*environment, name);
    if (value != NULL)
      return value;
  }
  return NULL;
}

static bool
words_build(struct supervisor_words *words, const struct kiln_run_options *options, int owner, int status)
{
  size_t count = 0;
  while (options->command[count] != NULL)
    count++;
  words->count = 0;
  words->argv = calloc(count + FIXED_WORDS, sizeof *words->argv);
  if (words->argv == NULL)
    return false;
  snprintf(words->owner, sizeof words->owner, "%d", owner);
  snprintf(words->status, sizeof words->status, "%d", status);
  snprintf(words->limit, sizeof words->limit, "%" PRIu64, options->output_limit);
  word(words, options->supervisor);
  option(words, "--owner", words->owner);
  option(words, "--status", words->status);
  option(words, "--stdout", options->stdout_path);
  option(words, "--stderr", options->stderr_path);
  option(words, "--limit", options->output_limit > 0 ? words->limit : NULL);
  option(words, "--remove", options->remove_on_owner_death);
  option(words, "--preload", environment_value(options->environment, PRELOAD));
  if (options->terminal_input)
    word(words, "--tty");
  word(words, "--");
  for (size_t i = 0; i < count; i++)
    word(words, options->command[i]);
  return true;
}

/* The command's environment without its preloaded libraries, which the supervisor must not load; borrowed strings. */
static char **
supervisor_environment(char *const *environment)
{
  size_t count = 0, kept = 0;
  while (environment[count] != NULL)
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  for (size_t i = 0; copy != NULL && i < count; i++)
    if (variable_value(environment[i], PRELOAD) == NULL)
      copy[kept++] = environment[i];
  return copy;
}

static enum kiln_status
spawn_with(const struct kiln_run_options *options, int owner, int status, int *pid, struct kiln_error *error)
{
  struct supervisor_words words;
  char **environment = supervisor_environment(options->environment);
  enum kiln_status answer;
  if (environment == NULL || !words_build(&words, options, owner, status)) {
    free(environment);
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the arguments of the supervisor");
  }
  const struct kiln_spawn_options spawn = {.program = options->supervisor,
      .argv = (char *const *)words.argv,
      .environment = environment,
      .stdin_fd = options->terminal_input ? 0 : -1,
      .keep = {owner, status},
      .keep_count = 2};
  answer = kiln_process_spawn(&spawn, pid, error);
  free(words.argv);
  free(environment);
  return answer == KILN_OK || answer == KILN_ERROR_MEMORY ? answer : KILN_ERROR_ENVIRONMENT;
}

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
  const enum kiln_status status = spawn_with(run->options, run->owner[0], lines[1], &run->pid, error);
  kiln_fd_close(lines[1]);
  run->lines = lines[0];
  if (status != KILN_OK)
    pipes_close(run);
  return status;
}

/* ---- while it runs ---- */

static void
ask_to_kill(struct run *run, enum kiln_run_end why, uint64_t now)
{
  if (run->asked != KILN_RUN_ENDED || run->status.exited || run->status.not_started)
    return;
  run->asked = why;
  run->give_up = now + PATIENCE_NS;
  kiln_fd_write_once(run->owner[1], "K", 1);
}

static void
watch_clock(struct run *run)
{
  const uint64_t now = kiln_clock_now();
  if (kiln_interrupt_seen() != 0)
    ask_to_kill(run, KILN_RUN_INTERRUPTED, now);
  if (now >= run->deadline)
    ask_to_kill(run, KILN_RUN_TIMEOUT, now);
  if ((run->status.exited || run->status.not_started) && run->give_up == UINT64_MAX)
    run->give_up = now + PATIENCE_NS;
  if (now < run->next_tick)
    return;
  run->next_tick = now + TICK_NS;
  if (run->options->tick != NULL)
    run->options->tick(run->options->context);
}

/* Milliseconds until something is due; rounded up, so that a deadline is not polled for. */
static int
wait_ms(const struct run *run)
{
  const uint64_t now = kiln_clock_now();
  uint64_t due = run->next_tick;
  if (run->asked == KILN_RUN_ENDED && !run->status.exited && run->deadline < due)
    due = run->deadline;
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
  const char *mark = environment_value(run->options->environment, KILN_SANDBOX_VARIABLE);
  if (mark != NULL && mark[0] != '\0')
    kiln_process_kill_marked(KILN_SANDBOX_VARIABLE, mark);
}

/* A command that ended before the supervisor began to kill has ended by itself, even if kiln had asked by then. */
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
  else if (!run->status.killed)
    result->end = KILN_RUN_ENDED;
  return KILN_OK;
}

static enum kiln_status
check(const struct kiln_run_options *options, struct kiln_error *error)
{
  if (options->supervisor == NULL || options->command == NULL || options->command[0] == NULL ||
      options->environment == NULL || options->stdout_path == NULL || options->stderr_path == NULL)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "a run needs a supervisor, a command, an environment and files");
  if (!(options->timeout_s >= 0))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "a time limit of %g s is not allowed", options->timeout_s);
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
