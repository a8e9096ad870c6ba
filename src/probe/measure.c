#include "probe/measure.h"

#include <string.h>

#include "os/clock.h"
#include "os/host.h"
#include "os/process.h"
#include "probe/measure_run.h"
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

static bool
stopped(struct kiln_measurement *measurement)
{
  if (kiln_interrupt_seen()) {
    kiln_measurement_stop(measurement, KILN_REPORT_INTERRUPTED, "Interrupted between two runs.");
  }
  return measurement->report->state != KILN_REPORT_COMPLETE;
}

/* One run, then a look at the caches it left. before NULL: they were empty. */
static enum kiln_status
run_and_sweep(struct kiln_measurement *measurement, int index, const char *name, struct kiln_report_run *run,
    const struct kiln_sweep *before, struct kiln_sweep *after, struct kiln_error *error)
{
  struct kiln_buf cache;
  enum kiln_status status = kiln_measurement_run(measurement, index, name, run, error);
  if (status != KILN_OK) {
    return status;
  }
  kiln_buf_init(&cache);
  status = kiln_sweep_caches(after, kiln_sandbox_path(measurement->sandbox, index, "cache", &cache), error);
  kiln_buf_release(&cache);
  if (status == KILN_OK) {
    run->artefacts_new = kiln_sweep_new(before, after, NULL);
    kiln_measurement_check_run(measurement, index, run, before, after);
  }
  return status;
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
  if (status == KILN_OK && !stopped(measurement)) {
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

/* What the first cold run tells of the program. */
static void
note_versions(struct kiln_report *report, const struct kiln_report_run *cold)
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
  for (i = 1; i <= measurement->options->samples && status == KILN_OK && !stopped(measurement); i++) {
    struct kiln_report_sample *sample = &report->arms[0].samples[report->arms[0].sample_count++];
    sample->index = i;
    status = make_sample(measurement, sample, error);
    note_versions(report, &sample->cold);
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
  enum kiln_status status = kiln_sandbox_new(measurement->options->temporary, &measurement->sandbox, error);
  if (status != KILN_OK) {
    return status;
  }
  measurement->sandbox->bytecode = measurement->options->warmup > 0;
  measurement->watch = kiln_escape_watch_new(NULL);
  if (!measurement->watch) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  if (measurement->options->warmup > 0 && !stopped(measurement)) {
    status = warm_up(measurement, error);
  }
  return status == KILN_OK ? measure_samples(measurement, error) : status;
}

static enum kiln_status
check_options(const struct kiln_measure_options *options, struct kiln_error *error)
{
  if (!options->command || !options->command[0]) {
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "There is no command to measure.");
  }
  if (options->samples < 1 || options->warmup < 0 || options->warmup > 1 || !(options->timeout_s >= 0)) {
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "%d samples, %d warm-ups and a limit of %g s are not possible.",
        options->samples, options->warmup, options->timeout_s);
  }
  return KILN_OK;
}

static bool
fill_header(struct kiln_report *report, const struct kiln_measure_options *options)
{
  char date[DATE_SIZE];
  size_t i;
  while (options->command[report->command_count]) {
    report->command_count++;
  }
  report->command = kiln_arena_alloc(&report->arena, (report->command_count + 1) * sizeof *report->command);
  if (!kiln_report_arms_make(report, 1, (size_t)options->samples)) {
    return false;
  }
  for (i = 0; report->command && i < report->command_count; i++) {
    report->command[i] = kiln_arena_strdup(&report->arena, options->command[i]);
  }
  kiln_clock_format(kiln_clock_real(), date);
  report->date = kiln_arena_strdup(&report->arena, date);
  report->arms[0].name = "base";
  report->arms[0].command = report->command;
  report->arms[0].command_count = report->command_count;
  report->samples_wanted = options->samples;
  report->warmup = options->warmup;
  report->state = KILN_REPORT_COMPLETE;
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
