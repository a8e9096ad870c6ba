#include "probe/measure_run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "os/file.h"
#include "os/runner.h"
#include "probe/measure_live.h"
#include "probe/measure_tail.h"

#define OUTPUT_LIMIT 0 /* the runner's default */

void
kiln_measurement_stop(struct kiln_measurement *measurement, enum kiln_report_state state, const char *format, ...)
{
  struct kiln_report *report = measurement->report;
  struct kiln_buf text;
  va_list args;
  if (report->state != KILN_REPORT_COMPLETE) {
    return;
  }
  report->state = state;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  report->failure = kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* "cold run 2 of 3", "the unmeasured warm run". */
static void
name_run(struct kiln_buf *text, const struct kiln_measurement *measurement, int index, const char *run)
{
  kiln_buf_clear(text);
  if (index == 0) {
    kiln_buf_printf(text, "the unmeasured %s run", run);
  } else {
    kiln_buf_printf(text, "%s run %d of %d", run, index, measurement->options->samples);
  }
}

static const char *
signal_name(int signal)
{
  switch (signal) {
  case SIGABRT:
    return " (SIGABRT)";
  case SIGFPE:
    return " (SIGFPE)";
  case SIGILL:
    return " (SIGILL)";
  case SIGINT:
    return " (SIGINT)";
  case SIGSEGV:
    return " (SIGSEGV)";
  case SIGTERM:
    return " (SIGTERM)";
  case 9:
    return " (SIGKILL)";
  default:
    return "";
  }
}

static const char *
start_failure(int start_errno)
{
  if (start_errno == ENOENT) {
    return "it was not found";
  }
  return start_errno == EACCES ? "it is not executable" : strerror(start_errno);
}

static void
judge_exit(struct kiln_measurement *measurement, const struct kiln_run_result *result, const char *where)
{
  const char *command = measurement->options->command[0];
  if (result->signal != 0) {
    kiln_measurement_stop(measurement, KILN_REPORT_FAILED, "The command '%s' was ended by signal %d%s in %s.", command,
        result->signal, signal_name(result->signal), where);
  } else if (result->exit_code != 0 && measurement->options->ignore_failure) {
    kiln_report_warn(
        measurement->report, "The command exited with code %d; --ignore-failure allows it.", result->exit_code);
  } else if (result->exit_code != 0) {
    kiln_measurement_stop(measurement, KILN_REPORT_FAILED, "The command '%s' exited with code %d in %s.", command,
        result->exit_code, where);
  }
}

static void
judge(struct kiln_measurement *measurement, const struct kiln_run_result *result, const char *where)
{
  switch (result->end) {
  case KILN_RUN_NOT_STARTED:
    kiln_measurement_stop(measurement, KILN_REPORT_FAILED, "The command '%s' could not be started: %s.",
        measurement->options->command[0], start_failure(result->start_errno));
    break;
  case KILN_RUN_TIMEOUT:
    kiln_measurement_stop(
        measurement, KILN_REPORT_INVALID, "The time limit of %g s ended %s.", measurement->options->timeout_s, where);
    break;
  case KILN_RUN_INTERRUPTED:
    kiln_measurement_stop(measurement, KILN_REPORT_INTERRUPTED, "Interrupted in %s.", where);
    break;
  case KILN_RUN_ENDED:
    judge_exit(measurement, result, where);
    break;
  }
}

/* A run without its events folder would look like a run that did nothing. */
static void
judge_events(struct kiln_measurement *measurement, const char *events, const char *where)
{
  if (!kiln_file_exists(events)) {
    kiln_measurement_stop(measurement, KILN_REPORT_INVALID,
        "The command removed the folder of its events ('%s') in %s, so it was not observed.", events, where);
  }
}

static void
keep_tail(const struct kiln_measurement *measurement, const char *stdout_path, const char *stderr_path)
{
  enum kiln_report_state state = measurement->report->state;
  if (measurement->output_tail && (state == KILN_REPORT_FAILED || state == KILN_REPORT_INVALID)) {
    kiln_tail_append(measurement->output_tail, "End of the command's standard output", stdout_path);
    kiln_tail_append(measurement->output_tail, "End of the command's standard error", stderr_path);
  }
}

static enum kiln_status
read_model(struct kiln_report_run *out, const char *events, struct kiln_error *error)
{
  const struct kiln_run_result *result = &out->result;
  uint64_t cpu_ns = result->usage.user_ns + result->usage.system_ns;
  enum kiln_status status;
  out->model = kiln_model_new();
  if (!out->model) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  status = kiln_model_read(out->model, events, error);
  if (status == KILN_OK) {
    status = kiln_model_finish(out->model, error);
  }
  if (status != KILN_OK) {
    kiln_model_free(out->model);
    out->model = NULL;
    return status;
  }
  kiln_model_phases(out->model, result->pid, result->begin_ns, result->end_ns, cpu_ns, out->phase);
  out->elapsed_s = (double)(result->end_ns - result->begin_ns) / 1e9;
  out->cpu_s = (double)cpu_ns / 1e9;
  out->present = true;
  return KILN_OK;
}

/* The three paths of one run. */
struct run_paths {
  struct kiln_buf events, out, err;
};

static void
paths_make(struct run_paths *paths, const struct kiln_sandbox *sandbox, int index, const char *run)
{
  kiln_buf_init(&paths->events);
  kiln_buf_init(&paths->out);
  kiln_buf_init(&paths->err);
  kiln_buf_printf(&paths->events, "%s/s%d/%s/events", sandbox->folder, index, run);
  kiln_buf_printf(&paths->out, "%s/s%d/%s/stdout", sandbox->folder, index, run);
  kiln_buf_printf(&paths->err, "%s/s%d/%s/stderr", sandbox->folder, index, run);
}

static void
paths_release(struct run_paths *paths)
{
  kiln_buf_release(&paths->events);
  kiln_buf_release(&paths->out);
  kiln_buf_release(&paths->err);
}

static enum kiln_status
run_command(struct kiln_measurement *measurement, struct kiln_live *live, const struct run_paths *paths,
    char *const *environment, struct kiln_run_result *result, struct kiln_error *error)
{
  const struct kiln_measure_options *options = measurement->options;
  struct kiln_run_options run = {0};
  run.supervisor = options->supervisor;
  run.command = options->command;
  run.environment = environment;
  run.stdout_path = kiln_buf_text(&paths->out);
  run.stderr_path = kiln_buf_text(&paths->err);
  run.remove_on_owner_death = measurement->sandbox->folder;
  run.timeout_s = options->timeout_s;
  run.terminal_input = options->terminal_input;
  run.output_limit = OUTPUT_LIMIT;
  if (options->progress) {
    run.tick = kiln_live_tick;
    run.context = live;
  }
  return kiln_run(&run, result, error);
}

static enum kiln_status
run_observed(struct kiln_measurement *measurement, int index, const char *run, const struct run_paths *paths,
    struct kiln_report_run *out, struct kiln_error *error)
{
  struct kiln_environment env;
  struct kiln_live live;
  enum kiln_status status;
  kiln_environment_init(&env);
  status = kiln_sandbox_environment(measurement->sandbox, index, run, measurement->options->preload, &env, error);
  if (status == KILN_OK) {
    kiln_live_init(&live, measurement->options, index, run, kiln_buf_text(&paths->events));
    status = run_command(measurement, &live, paths, env.entries, &out->result, error);
    measurement->runs += status == KILN_OK ? 1 : 0;
    if (status == KILN_OK && out->result.end != KILN_RUN_NOT_STARTED) {
      status = read_model(out, kiln_buf_text(&paths->events), error);
    }
    kiln_live_end(&live, out->elapsed_s, out->model ? (unsigned)out->model->counts.builds : 0);
    kiln_live_release(&live);
  }
  kiln_environment_release(&env);
  return status;
}

enum kiln_status
kiln_measurement_run(struct kiln_measurement *measurement, int index, const char *run, struct kiln_report_run *out,
    struct kiln_error *error)
{
  struct run_paths paths;
  struct kiln_buf where;
  enum kiln_status status;
  memset(out, 0, sizeof *out);
  status = kiln_sandbox_sample(measurement->sandbox, index, run, error);
  if (status != KILN_OK) {
    return status;
  }
  kiln_buf_init(&where);
  paths_make(&paths, measurement->sandbox, index, run);
  status = run_observed(measurement, index, run, &paths, out, error);
  if (status == KILN_OK) {
    name_run(&where, measurement, index, run);
    judge(measurement, &out->result, kiln_buf_text(&where));
    judge_events(measurement, kiln_buf_text(&paths.events), kiln_buf_text(&where));
    keep_tail(measurement, kiln_buf_text(&paths.out), kiln_buf_text(&paths.err));
  }
  paths_release(&paths);
  kiln_buf_release(&where);
  return status;
}
