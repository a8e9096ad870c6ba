#include "probe/measure_run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "os/file.h"
#include "os/runner.h"
#include "os/thread.h"
#include "probe/lever.h"
#include "probe/measure_live.h"
#include "probe/measure_tail.h"
#include "probe/measure_until.h"

#define SIGNAL_KILL 9  /* the C standard's signal.h does not name it */
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

/* "cold run 2 of 3", "the unmeasured warm run", "the cold run of 'cand' in pair 7". */
static void
name_run(struct kiln_buf *text, const struct kiln_measurement *measurement, const struct kiln_measurement_place *place)
{
  kiln_buf_clear(text);
  if (place->sample == 0) {
    kiln_buf_printf(text, "the unmeasured %s run", place->run);
  } else if (measurement->options->arm_count == 0) {
    kiln_buf_printf(text, "%s run %d of %d", place->run, place->sample, measurement->options->samples);
  } else {
    kiln_buf_printf(text, "the %s run", place->run);
  }
  if (measurement->options->arm_count > 0) {
    kiln_buf_printf(text, " of arm '%s'", place->arm->name);
  }
  if (measurement->options->arm_count > 0 && place->sample > 0) {
    kiln_buf_printf(text, " in pair %d", place->sample);
  }
}

/* A run that failed by itself: it stops the measurement, or voids its pair. */
static void fail_run(struct kiln_measurement *measurement, enum kiln_report_state state, const char *format, ...)
    KILN_PRINTF(3, 4);

static void
fail_run(struct kiln_measurement *measurement, enum kiln_report_state state, const char *format, ...)
{
  struct kiln_buf text;
  va_list args;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  if (!measurement->voids) {
    kiln_measurement_stop(measurement, state, "%s", kiln_buf_text(&text));
  } else if (!measurement->void_because) {
    measurement->void_because = kiln_arena_strdup(&measurement->report->arena, kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
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
  case SIGNAL_KILL:
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

/* How a command came to its end, "with exit code 3", "by signal 11 (SIGSEGV)". */
static void
name_end(struct kiln_buf *text, const struct kiln_run_result *result)
{
  kiln_buf_clear(text);
  if (result->signal != 0) {
    kiln_buf_printf(text, "by signal %d%s", result->signal, signal_name(result->signal));
  } else {
    kiln_buf_printf(text, "with exit code %d", result->exit_code);
  }
}

/* A command that was to become ready and ended by itself. */
static void
judge_ready(
    struct kiln_measurement *measurement, const struct kiln_run_result *result, const char *command, const char *where)
{
  struct kiln_buf end;
  kiln_buf_init(&end);
  name_end(&end, result);
  if (result->ready) {
    kiln_report_warn(measurement->report,
        "The command ended by itself after it was ready, %s: the time to ready stands.", kiln_buf_text(&end));
  } else {
    fail_run(measurement, KILN_REPORT_FAILED, "The command '%s' ended %s before it was ready, in %s.", command,
        kiln_buf_text(&end), where);
  }
  kiln_buf_release(&end);
}

static void
judge_exit(
    struct kiln_measurement *measurement, const struct kiln_run_result *result, const char *command, const char *where)
{
  if (result->signal != 0) {
    fail_run(measurement, KILN_REPORT_FAILED, "The command '%s' was ended by signal %d%s in %s.", command,
        result->signal, signal_name(result->signal), where);
  } else if (result->exit_code != 0 && measurement->options->ignore_failure) {
    kiln_report_warn(
        measurement->report, "The command exited with code %d; --ignore-failure allows it.", result->exit_code);
  } else if (result->exit_code != 0) {
    fail_run(measurement, KILN_REPORT_FAILED, "The command '%s' exited with code %d in %s.", command, result->exit_code,
        where);
  }
}

static void
judge_timeout(struct kiln_measurement *measurement, const char *command, const char *where)
{
  const struct kiln_measure_options *options = measurement->options;
  if (kiln_measure_until_asked(&options->until)) {
    fail_run(measurement, KILN_REPORT_INVALID, "The command '%s' was not ready within the time limit of %g s in %s.",
        command, options->timeout_s, where);
  } else {
    fail_run(measurement, KILN_REPORT_INVALID, "The time limit of %g s ended %s.", options->timeout_s, where);
  }
}

static void
judge(
    struct kiln_measurement *measurement, const struct kiln_run_result *result, const char *command, const char *where)
{
  switch (result->end) {
  case KILN_RUN_NOT_STARTED:
    kiln_measurement_stop(measurement, KILN_REPORT_FAILED, "The command '%s' could not be started: %s.", command,
        start_failure(result->start_errno));
    break;
  case KILN_RUN_TIMEOUT:
    judge_timeout(measurement, command, where);
    break;
  case KILN_RUN_INTERRUPTED:
    kiln_measurement_stop(measurement, KILN_REPORT_INTERRUPTED, "Interrupted in %s.", where);
    break;
  case KILN_RUN_READY:
    if (result->signal == SIGNAL_KILL) {
      kiln_report_warn(measurement->report, "The command did not end within 5 s of SIGTERM and was killed.");
    }
    break;
  case KILN_RUN_ENDED:
    if (kiln_measure_until_asked(&measurement->options->until)) {
      judge_ready(measurement, result, command, where);
    } else {
      judge_exit(measurement, result, command, where);
    }
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

static bool
has_failed(const struct kiln_measurement *measurement)
{
  enum kiln_report_state state = measurement->report->state;
  return state == KILN_REPORT_FAILED || state == KILN_REPORT_INVALID || measurement->void_because;
}

/* The end of what the run printed that failed; what other runs print after it is not asked for. */
static void
keep_tail(const struct kiln_measurement *measurement, const char *stdout_path, const char *stderr_path, bool before)
{
  if (measurement->output_tail && !before && has_failed(measurement)) {
    kiln_buf_clear(measurement->output_tail); /* of a void pair that did not stop the measurement */
    kiln_tail_append(measurement->output_tail, "End of the command's standard output", stdout_path);
    kiln_tail_append(measurement->output_tail, "End of the command's standard error", stderr_path);
  }
}

static enum kiln_status
read_model(struct kiln_report_run *out, const char *events, struct kiln_error *error)
{
  const struct kiln_run_result *result = &out->result;
  uint64_t end_ns = result->ready ? result->ready_ns : result->end_ns;
  uint64_t cpu_ns = result->ready ? result->ready_cpu_ns : result->usage.user_ns + result->usage.system_ns;
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
  kiln_model_phases(out->model, result->pid, result->begin_ns, end_ns, cpu_ns, out->phase);
  out->elapsed_s = (double)(end_ns - result->begin_ns) / 1e9;
  out->cpu_s = (double)cpu_ns / 1e9;
  out->present = true;
  return KILN_OK;
}

/* One run, from its preparation to its result. */
struct slot {
  const struct kiln_measurement *measurement;
  const struct kiln_measurement_place *place;
  struct kiln_report_run *out;
  struct kiln_buf events, stdout_path, stderr_path;
  struct kiln_environment environment;
  enum kiln_status status;
  struct kiln_error error;
};

static void
slot_release(struct slot *slot)
{
  kiln_environment_release(&slot->environment);
  kiln_buf_release(&slot->events);
  kiln_buf_release(&slot->stdout_path);
  kiln_buf_release(&slot->stderr_path);
}

/* The variables that the agent reads when it is to apply levers. */
static enum kiln_status
put_levers(struct slot *slot)
{
  const struct kiln_measure_change *change = &slot->place->arm->change;
  const char *file = slot->place->sample == 0 && change->levers_first ? change->levers_first : change->levers;
  struct kiln_buf state;
  enum kiln_status status;
  if (!file) {
    return KILN_OK;
  }
  kiln_buf_init(&state);
  kiln_sandbox_path(slot->measurement->sandbox, slot->place->folder, "levers", &state);
  status = kiln_folder_make(kiln_buf_text(&state), &slot->error);
  kiln_environment_set(&slot->environment, KILN_LEVER_VARIABLE, file);
  kiln_environment_set(&slot->environment, KILN_LEVER_STATE_VARIABLE, kiln_buf_text(&state));
  if (status == KILN_OK && (state.failed || slot->environment.failed)) {
    status = kiln_error_set(&slot->error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  kiln_buf_release(&state);
  return status;
}

/* Folders, paths and environment. Also a slot that could not be prepared is released. */
static void
slot_prepare(struct slot *slot, struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    struct kiln_report_run *out)
{
  const struct kiln_sandbox *sandbox = measurement->sandbox;
  memset(slot, 0, sizeof *slot);
  memset(out, 0, sizeof *out);
  slot->measurement = measurement;
  slot->place = place;
  slot->out = out;
  kiln_buf_init(&slot->events);
  kiln_buf_init(&slot->stdout_path);
  kiln_buf_init(&slot->stderr_path);
  kiln_environment_init(&slot->environment);
  kiln_buf_printf(&slot->events, "%s/s%d/%s/events", sandbox->folder, place->folder, place->run);
  kiln_buf_printf(&slot->stdout_path, "%s/s%d/%s/stdout", sandbox->folder, place->folder, place->run);
  kiln_buf_printf(&slot->stderr_path, "%s/s%d/%s/stderr", sandbox->folder, place->folder, place->run);
  slot->status = kiln_sandbox_sample(measurement->sandbox, place->folder, place->run, &slot->error);
  if (slot->status == KILN_OK) {
    slot->status = kiln_sandbox_environment(
        sandbox, place->folder, place->run, measurement->options->preload, &slot->environment, &slot->error);
  }
  if (slot->status == KILN_OK) {
    slot->status = put_levers(slot);
  }
}

/* Touches nothing that two slots share, so two may be executed at the same moment. live NULL: nobody looks. */
static void
slot_execute(struct slot *slot, struct kiln_live *live)
{
  const struct kiln_measure_options *options = slot->measurement->options;
  struct kiln_run_options run = {0};
  struct kiln_until until;
  kiln_until_init(&until, &options->until, kiln_buf_text(&slot->events));
  run.ready = kiln_until_ready(&until);
  run.inherit = true;
  run.supervisor = options->supervisor;
  run.command = slot->place->arm->command;
  run.environment = slot->environment.entries;
  run.stdout_path = kiln_buf_text(&slot->stdout_path);
  run.stderr_path = kiln_buf_text(&slot->stderr_path);
  run.remove_on_owner_death = slot->measurement->sandbox->folder;
  run.timeout_s = options->timeout_s;
  run.terminal_input = options->terminal_input;
  run.output_limit = OUTPUT_LIMIT;
  if (live && options->progress) {
    run.tick = kiln_live_tick;
    run.context = live;
  }
  slot->status = kiln_run(&run, &slot->out->result, &slot->error);
}

/* Whoever compares outputs looks at them now. */
static void
tell_seen(const struct slot *slot, const struct kiln_measurement *measurement)
{
  const struct kiln_measure_options *options = measurement->options;
  struct kiln_measure_seen seen = {slot->place->arm->name, slot->place->run, slot->place->sample,
      has_failed(measurement), kiln_buf_text(&slot->stdout_path), kiln_buf_text(&slot->stderr_path), NULL};
  struct kiln_buf place;
  if (!options->seen) {
    return;
  }
  kiln_buf_init(&place);
  seen.place = kiln_sandbox_path(measurement->sandbox, slot->place->folder, "", &place);
  options->seen(options->seen_context, &seen);
  kiln_buf_release(&place);
}

/* Read what the run left and judge how it ended. */
static enum kiln_status
slot_finish(struct slot *slot, struct kiln_measurement *measurement, struct kiln_error *error)
{
  struct kiln_buf where;
  bool before;
  measurement->runs += slot->status == KILN_OK ? 1 : 0;
  if (slot->status == KILN_OK && slot->out->result.end != KILN_RUN_NOT_STARTED) {
    slot->status = read_model(slot->out, kiln_buf_text(&slot->events), &slot->error);
  }
  if (slot->status != KILN_OK) {
    if (error) {
      *error = slot->error;
    }
    return slot->status;
  }
  kiln_buf_init(&where);
  name_run(&where, measurement, slot->place);
  before = has_failed(measurement);
  judge(measurement, &slot->out->result, slot->place->arm->command[0], kiln_buf_text(&where));
  judge_events(measurement, kiln_buf_text(&slot->events), kiln_buf_text(&where));
  keep_tail(measurement, kiln_buf_text(&slot->stdout_path), kiln_buf_text(&slot->stderr_path), before);
  tell_seen(slot, measurement);
  kiln_buf_release(&where);
  return KILN_OK;
}

enum kiln_status
kiln_measurement_run(struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    struct kiln_report_run *out, struct kiln_error *error)
{
  struct slot slot;
  struct kiln_live live;
  enum kiln_status status;
  slot_prepare(&slot, measurement, place, out);
  if (slot.status == KILN_OK) {
    kiln_live_init(&live, measurement->options, place->sample, place->run, kiln_buf_text(&slot.events));
    slot_execute(&slot, &live);
    status = slot_finish(&slot, measurement, error);
    kiln_live_end(&live, out->elapsed_s, out->model ? (unsigned)out->model->counts.builds : 0);
    kiln_live_release(&live);
  } else {
    status = slot_finish(&slot, measurement, error);
  }
  slot_release(&slot);
  return status;
}

static void *
execute_in_thread(void *context)
{
  slot_execute(context, NULL);
  return NULL;
}

/* Both by a thread of their own, so that neither begins earlier than a thread takes to start. The first one's live view
 * stands for both. */
static void
execute_both(struct slot slots[2], struct kiln_live *live)
{
  struct kiln_thread thread;
  if (kiln_thread_start(&thread, execute_in_thread, &slots[0])) {
    slot_execute(&slots[1], live);
    kiln_thread_join(&thread);
  } else {
    slots[0].status = slots[1].status =
        kiln_error_set(&slots[0].error, KILN_ERROR_ENVIRONMENT, "No thread can be started for the second arm.");
    slots[1].error = slots[0].error;
  }
}

enum kiln_status
kiln_measurement_run_both(struct kiln_measurement *measurement, const struct kiln_measurement_place places[2],
    struct kiln_report_run *const out[2], struct kiln_error *error)
{
  struct slot slots[2];
  struct kiln_live live;
  enum kiln_status status[2];
  int i;
  for (i = 0; i < 2; i++) {
    slot_prepare(&slots[i], measurement, &places[i], out[i]);
  }
  kiln_live_init(&live, measurement->options, places[1].sample, places[1].run, kiln_buf_text(&slots[1].events));
  if (slots[0].status == KILN_OK && slots[1].status == KILN_OK) {
    execute_both(slots, &live);
  }
  for (i = 0; i < 2; i++) {
    status[i] = slot_finish(&slots[i], measurement, error);
    slot_release(&slots[i]);
  }
  kiln_live_end(&live, out[1]->elapsed_s, out[1]->model ? (unsigned)out[1]->model->counts.builds : 0);
  kiln_live_release(&live);
  return status[0] != KILN_OK ? status[0] : status[1];
}
