#include "probe/measure.h"

#include <string.h>

#include "os/clock.h"
#include "os/host.h"
#include "os/path.h"
#include "os/process.h"
#include "probe/inputs.h"
#include "probe/measure_run.h"
#include "probe/measure_until.h"
#include "probe/rule.h"

#define DATE_SIZE 21

int
kiln_report_exit(const struct kiln_report *report)
{
  switch (report->state) {
  case KILN_REPORT_COMPLETE:
    return 0;
  case KILN_REPORT_INVALID:
    return 3;
  case KILN_REPORT_FAILED:
    return 4;
  case KILN_REPORT_INTERRUPTED:
    return 130;
  }
  return 5;
}

bool
kiln_measurement_stopped(struct kiln_measurement *measurement)
{
  if (kiln_interrupt_seen()) {
    kiln_measurement_stop(measurement, KILN_REPORT_INTERRUPTED, "Interrupted between two runs.");
  }
  return measurement->report->state != KILN_REPORT_COMPLETE;
}

enum kiln_status
kiln_measurement_sweep(struct kiln_measurement *measurement, const struct kiln_measurement_place *place,
    struct kiln_report_run *run, const struct kiln_sweep *before, struct kiln_sweep *after, struct kiln_error *error)
{
  struct kiln_buf cache;
  enum kiln_status status;
  kiln_buf_init(&cache);
  status = kiln_sweep_caches(after, kiln_sandbox_path(measurement->sandbox, place->folder, "cache", &cache), error);
  kiln_buf_release(&cache);
  if (status == KILN_OK) {
    run->artefacts_new = kiln_sweep_new(before, after, NULL);
    kiln_measurement_check_run(measurement, place, run, before, after);
  }
  return status;
}

/* One run, then a look at the caches it left. before NULL: they were empty. */
static enum kiln_status
run_and_sweep(struct kiln_measurement *measurement, int index, const char *name, struct kiln_report_run *run,
    const struct kiln_sweep *before, struct kiln_sweep *after, struct kiln_error *error)
{
  const struct kiln_measure_arm arm = {
      measurement->report->arms[0].name, measurement->options->command, measurement->options->change};
  const struct kiln_measurement_place place = {&arm, index, index, name};
  enum kiln_status status = kiln_measurement_run(measurement, &place, run, error);
  return status == KILN_OK ? kiln_measurement_sweep(measurement, &place, run, before, after, error) : status;
}

/* Cold run, then warm run on what it left. The models belong to the sample. */
static enum kiln_status
make_sample(struct kiln_measurement *measurement, struct kiln_report_sample *sample, struct kiln_error *error)
{
  struct kiln_sweep cold, warm;
  enum kiln_status status;
  kiln_sweep_init(&cold);
  kiln_sweep_init(&warm);
  status = run_and_sweep(measurement, sample->index, "cold", &sample->cold, NULL, &cold, error);
  if (status == KILN_OK && !kiln_measurement_stopped(measurement)) {
    status = run_and_sweep(measurement, sample->index, "warm", &sample->warm, &cold, &warm, error);
  }
  kiln_measurement_check_escape(measurement);
  kiln_sweep_release(&cold);
  kiln_sweep_release(&warm);
  return status;
}

static enum kiln_status
warm_up(struct kiln_measurement *measurement, struct kiln_error *error)
{
  struct kiln_report_sample unmeasured = {0};
  enum kiln_status status = make_sample(measurement, &unmeasured, error);
  kiln_model_free(unmeasured.cold.model);
  kiln_model_free(unmeasured.warm.model);
  kiln_sandbox_sample_remove(measurement->sandbox, 0);
  return status;
}

void
kiln_measurement_versions(struct kiln_report *report, const struct kiln_report_run *cold)
{
  const struct kiln_model_process *principal = cold->model ? kiln_model_principal(cold->model) : NULL;
  if (principal && !report->python) {
    report->python = kiln_arena_strdup(&report->arena, principal->python);
    report->framework = kiln_arena_strdup(&report->arena, principal->framework_version);
  }
}

static enum kiln_status
measure_samples(struct kiln_measurement *measurement, struct kiln_error *error)
{
  struct kiln_report *report = measurement->report;
  enum kiln_status status = KILN_OK;
  int i;
  for (i = 1; i <= measurement->options->samples && status == KILN_OK && !kiln_measurement_stopped(measurement); i++) {
    struct kiln_report_sample *sample = &report->arms[0].samples[report->arms[0].sample_count++];
    sample->index = i;
    status = make_sample(measurement, sample, error);
    kiln_measurement_versions(report, &sample->cold);
    kiln_sandbox_sample_remove(measurement->sandbox, i);
    sample->valid = status == KILN_OK && report->state == KILN_REPORT_COMPLETE;
    if (!sample->valid) {
      sample->invalid_because = report->failure ? report->failure : "kiln could not finish it.";
    }
  }
  return status;
}

static enum kiln_status
measure_all(struct kiln_measurement *measurement, struct kiln_error *error)
{
  enum kiln_status status = kiln_sandbox_new_guarded(
      measurement->options->temporary, measurement->options->supervisor, &measurement->sandbox, error);
  if (status != KILN_OK) {
    return status;
  }
  measurement->sandbox->bytecode = measurement->options->warmup > 0;
  measurement->watch = kiln_escape_watch_new(NULL);
  if (!measurement->watch) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  if (measurement->options->arm_count > 0) {
    return kiln_measurement_pairs(measurement, error);
  }
  if (measurement->options->warmup > 0 && !kiln_measurement_stopped(measurement)) {
    status = warm_up(measurement, error);
  }
  return status == KILN_OK ? measure_samples(measurement, error) : status;
}

static enum kiln_status
check_arms(const struct kiln_measure_options *options, struct kiln_error *error)
{
  size_t i;
  if (options->arm_count == 1) {
    kiln_error_set(
        error, KILN_ERROR_ARGUMENT, "There is one arm, '%s', and nothing to compare it with.", options->arms[0].name);
    kiln_error_advise(error, "Name a second arm, or measure the command without arms.");
    return KILN_ERROR_ARGUMENT;
  }
  for (i = 0; i < options->arm_count; i++) {
    if (!options->arms[i].command || !options->arms[i].command[0]) {
      return kiln_error_set(
          error, KILN_ERROR_ARGUMENT, "The arm '%s' has no command to measure.", options->arms[i].name);
    }
  }
  if (options->max_pairs < 1 || options->max_pairs > KILN_SEQUENTIAL_MAX || !(options->max_time_s >= 0) ||
      !(options->resolution > 0 && options->resolution <= 1)) {
    return kiln_error_set(error, KILN_ERROR_ARGUMENT,
        "%d pairs, a limit of %g s and a resolution of %g %% are not possible.", options->max_pairs,
        options->max_time_s, options->resolution * 100);
  }
  return KILN_OK;
}

static enum kiln_status
check_options(const struct kiln_measure_options *options, struct kiln_error *error)
{
  if (options->warmup < 0 || options->warmup > 1 || !(options->timeout_s >= 0)) {
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "%d warm-ups and a limit of %g s are not possible.",
        options->warmup, options->timeout_s);
  }
  if (options->arm_count > 0) {
    return check_arms(options, error);
  }
  if (!options->command || !options->command[0]) {
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "There is no command to measure.");
  }
  if (options->samples < 1) {
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "%d samples are not possible.", options->samples);
  }
  return KILN_OK;
}

static void
fill_arm(struct kiln_report *report, struct kiln_report_arm *arm, const char *name, char *const *command)
{
  size_t i;
  arm->name = kiln_arena_strdup(&report->arena, name);
  while (command[arm->command_count]) {
    arm->command_count++;
  }
  arm->command = kiln_arena_alloc(&report->arena, (arm->command_count + 1) * sizeof *arm->command);
  for (i = 0; arm->command && i < arm->command_count; i++) {
    arm->command[i] = kiln_arena_strdup(&report->arena, command[i]);
  }
  arm->inputs = kiln_inputs_digest(command);
}

/* The baseline has a sample in each pair of each candidate. Void pairs have theirs too. */
static bool
fill_arms(struct kiln_report *report, const struct kiln_measure_options *options)
{
  size_t i, samples = (size_t)options->samples;
  if (options->arm_count == 0) {
    if (kiln_report_arms_make(report, 1, samples)) {
      fill_arm(report, &report->arms[0], "base", options->command);
    }
    return !report->arena.failed;
  }
  samples = (options->arm_count - 1) * KILN_MEASUREMENT_PAIRS(options->max_pairs);
  if (kiln_report_arms_make(report, options->arm_count, samples)) {
    for (i = 0; i < options->arm_count; i++) {
      fill_arm(report, &report->arms[i], options->arms[i].name, options->arms[i].command);
    }
    report->pairs = kiln_arena_alloc(&report->arena, samples * sizeof *report->pairs);
  }
  return !report->arena.failed;
}

/* When a run counts as ready, for the report. */
static void
fill_until(struct kiln_report *report, const struct kiln_measure_options *options)
{
  struct kiln_buf text;
  if (!kiln_measure_until_asked(&options->until)) {
    return;
  }
  kiln_buf_init(&text);
  kiln_measure_until_name(&options->until, &text);
  report->until = kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
fill_folder(struct kiln_report *report)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  if (kiln_path_resolve(".", &folder)) {
    report->folder = kiln_arena_strdup(&report->arena, kiln_buf_text(&folder));
  }
  kiln_buf_release(&folder);
}

static bool
fill_header(struct kiln_report *report, const struct kiln_measure_options *options)
{
  char date[DATE_SIZE];
  if (!fill_arms(report, options)) {
    return false;
  }
  report->command = report->arms[0].command;
  report->command_count = report->arms[0].command_count;
  kiln_clock_format(kiln_clock_real(), date);
  report->date = kiln_arena_strdup(&report->arena, date);
  fill_until(report, options);
  report->samples_wanted = options->arm_count ? 0 : options->samples;
  report->warmup = options->warmup;
  report->state = KILN_REPORT_COMPLETE;
  fill_folder(report);
  kiln_host_read(&report->host);
  return !report->arena.failed;
}

static void
warn_options(struct kiln_report *report, const struct kiln_measure_options *options)
{
  const char *no_bytecode = kiln_environment_current("PYTHONDONTWRITEBYTECODE");
  if (options->warmup == 0) {
    kiln_report_warn(report,
        "No unmeasured sample came first (--warmup 0): the first cold run may also pay for reading "
        "files and for Python's bytecode.");
  } else if (no_bytecode && *no_bytecode) {
    kiln_report_warn(report, "PYTHONDONTWRITEBYTECODE was set and is not passed on: the bytecode goes to a private "
                             "folder instead.");
  }
}

/* An error of kiln itself after the first run: the report keeps what there is and says why it ends. */
static void
note_error(struct kiln_measurement *measurement, const struct kiln_error *error)
{
  kiln_measurement_stop(measurement, KILN_REPORT_FAILED, "%s", error->what);
}

static void
finish(struct kiln_measurement *measurement)
{
  kiln_report_summarise(measurement->report);
  kiln_rules_run(measurement->report);
  kiln_escape_watch_free(measurement->watch);
  kiln_sandbox_free(measurement->sandbox);
}

enum kiln_status
kiln_measure(const struct kiln_measure_options *options, struct kiln_report **report, struct kiln_buf *output_tail,
    struct kiln_error *error)
{
  struct kiln_measurement measurement = {0};
  struct kiln_error own = {0};
  enum kiln_status status = check_options(options, error);
  *report = NULL;
  if (status != KILN_OK) {
    return status;
  }
  measurement.options = options;
  measurement.output_tail = output_tail;
  measurement.report = kiln_report_new();
  if (!measurement.report || !fill_header(measurement.report, options)) {
    kiln_report_free(measurement.report);
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  warn_options(measurement.report, options);
  status = measure_all(&measurement, &own);
  if (status != KILN_OK) {
    note_error(&measurement, &own);
    if (error) {
      *error = own;
    }
  }
  finish(&measurement);
  if (status != KILN_OK && measurement.runs == 0) {
    kiln_report_free(measurement.report);
    return status;
  }
  *report = measurement.report;
  return status;
}
