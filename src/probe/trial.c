#include "probe/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kiln/version.h"
#include "os/process.h"
#include "probe/trial_state.h"

void
kiln_try_result_release(struct kiln_try_result *result)
{
  kiln_report_free(result->report);
  kiln_ledger_free(result->ledger);
  result->report = NULL;
  result->ledger = NULL;
}

static bool
any_in_state(const struct kiln_ledger *ledger, enum kiln_ledger_state state)
{
  for (size_t i = 0; ledger && i < ledger->entry_count; i++) {
    if (ledger->entries[i].state == state) {
      return true;
    }
  }
  return false;
}

int
kiln_try_exit(const struct kiln_try_result *result)
{
  switch (result->state) {
  case KILN_REPORT_INVALID:
    return 3;
  case KILN_REPORT_FAILED:
    return 4;
  case KILN_REPORT_INTERRUPTED:
    return 130;
  case KILN_REPORT_COMPLETE:
    break;
  }
  if (any_in_state(result->ledger, KILN_LEDGER_APPLIED)) {
    return 0;
  }
  return any_in_state(result->ledger, KILN_LEDGER_INCONCLUSIVE) ? 3 : 1;
}

struct kiln_ledger_entry *
kiln_trial_entry(const struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  return &trial->ledger->entries[candidate->entry];
}

void
kiln_trial_decide(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, enum kiln_ledger_state state,
    const char *format, ...)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  struct kiln_buf text;
  va_list args;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  entry->state = state;
  entry->why = kiln_ledger_text(trial->ledger, "%s", kiln_buf_text(&text));
  kiln_buf_release(&text);
}

void
kiln_trial_say(const struct kiln_trial *trial, const char *format, ...)
{
  struct kiln_buf text;
  va_list args;
  if (!trial->options->say) {
    return;
  }
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  trial->options->say(trial->options->say_context, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

bool
kiln_trial_stopped(struct kiln_trial *trial, const struct kiln_report *report)
{
  struct kiln_try_result *result = trial->result;
  if (!report || report->state == KILN_REPORT_COMPLETE || result->state != KILN_REPORT_COMPLETE) {
    return result->state != KILN_REPORT_COMPLETE;
  }
  result->state = report->state;
  result->failure =
      trial->ledger ? kiln_ledger_text(trial->ledger, "%s", report->failure ? report->failure : "") : report->failure;
  return true;
}

static struct kiln_trial_candidate *
candidate_of(struct kiln_trial *trial, const char *arm)
{
  for (size_t i = 0; i < trial->count; i++) {
    if (kiln_text_equal(trial->candidates[i].id, arm)) {
      return &trial->candidates[i];
    }
  }
  return NULL;
}

void
kiln_trial_seen(void *context, const struct kiln_measure_seen *seen)
{
  struct kiln_trial *trial = context;
  struct kiln_trial_candidate *candidate = trial->paired ? candidate_of(trial, seen->arm) : trial->current;
  if (!candidate) {
    kiln_outputs_baseline(&trial->outputs, seen, trial->paired);
  } else if (seen->sample > 0) {
    kiln_outputs_candidate(&trial->outputs, seen, trial->paired, &candidate->output, &candidate->difference);
  }
}

struct kiln_measure_options
kiln_trial_measure(struct kiln_trial *trial)
{
  struct kiln_measure_options measure = trial->options->measure;
  measure.arms = NULL;
  measure.arm_count = 0;
  memset(&measure.change, 0, sizeof measure.change);
  measure.warmup = 1;
  measure.seen = kiln_trial_seen;
  measure.seen_context = trial;
  return measure;
}

struct kiln_measure_change
kiln_trial_change(const struct kiln_trial_candidate *candidate)
{
  struct kiln_measure_change change = {.levers = candidate->file, .levers_first = candidate->first};
  change.folder = candidate->folder;
  change.elapsed_decides = (candidate->lever->flags & KILN_LEVER_AHEAD) != 0;
  return change;
}

static enum kiln_status
check_environment(struct kiln_error *error)
{
  const char *set = kiln_environment_current(KILN_LEVER_VARIABLE);
  if (!set || !*set) {
    return KILN_OK;
  }
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT,
      KILN_LEVER_VARIABLE " is set to '%s', so the program would never run without levers.", set);
  kiln_error_advise(error, "Unset it.");
  return KILN_ERROR_ENVIRONMENT;
}

/* 1. Samples without levers. */
static enum kiln_status
measure_baseline(struct kiln_trial *trial, struct kiln_error *error)
{
  struct kiln_measure_options measure = kiln_trial_measure(trial);
  enum kiln_status status;
  kiln_trial_say(trial, "First the program as it is, without any lever.");
  status = kiln_measure(&measure, &trial->result->report, trial->output_tail, error);
  trial->baseline = trial->result->report;
  if (status != KILN_OK || kiln_trial_stopped(trial, trial->baseline)) {
    return status;
  }
  if (trial->outputs.wrong.len > 0) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "Without any lever already: %s", kiln_buf_text(&trial->outputs.wrong));
    kiln_error_advise(error, "A check must say yes to the program as it is, and the program must write the files.");
    return KILN_ERROR_ARGUMENT;
  }
  return KILN_OK;
}

static void
fill_environment(struct kiln_ledger *ledger, const struct kiln_report *report)
{
  ledger->version = kiln_ledger_text(ledger, "%s", kiln_version());
  ledger->date = kiln_ledger_text(ledger, "%s", report->date);
  ledger->cpu = kiln_ledger_text(ledger, "%s", report->host.cpu);
  ledger->kernel = kiln_ledger_text(ledger, "%s", report->host.kernel);
  ledger->cores = report->host.cores;
  ledger->python = report->python ? kiln_ledger_text(ledger, "%s", report->python) : NULL;
  ledger->framework = report->framework ? kiln_ledger_text(ledger, "%s", report->framework) : NULL;
  ledger->command = kiln_arena_alloc(&ledger->arena, (report->command_count + 1) * sizeof *ledger->command);
  for (size_t i = 0; ledger->command && i < report->command_count; i++) {
    ledger->command[ledger->command_count++] = kiln_ledger_text(ledger, "%s", report->command[i]);
  }
}

static void
fill_baseline(struct kiln_ledger *ledger, const struct kiln_trial *trial)
{
  const struct kiln_report_arm *arm = &trial->baseline->arms[0];
  ledger->cold_elapsed_s = arm->cold.elapsed_s.median;
  ledger->cold_cpu_s = arm->cold.cpu_s.median;
  ledger->warm_elapsed_s = arm->warm.elapsed_s.median;
  ledger->warm_cpu_s = arm->warm.cpu_s.median;
  ledger->builds = trial->view.cold->counts.builds;
  ledger->identities = trial->view.cold->counts.identities;
  ledger->source_bytes = trial->view.cold->counts.source_bytes;
  ledger->lto = trial->view.cold->counts.lto;
}

/* The valid sample whose cold run is nearest to the median: the others may have been disturbed. */
static const struct kiln_report_sample *
typical_sample(const struct kiln_report_arm *arm)
{
  const struct kiln_report_sample *best = NULL;
  for (size_t i = 0; i < arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &arm->samples[i];
    if (sample->valid && sample->cold.model &&
        (!best || fabs(sample->cold.elapsed_s - arm->cold.elapsed_s.median) <
                      fabs(best->cold.elapsed_s - arm->cold.elapsed_s.median))) {
      best = sample;
    }
  }
  return best;
}

static enum kiln_status
begin_ledger(struct kiln_trial *trial, struct kiln_error *error)
{
  const struct kiln_report_sample *sample = typical_sample(&trial->baseline->arms[0]);
  struct kiln_ledger *ledger = kiln_ledger_new();
  struct kiln_buf compared;
  trial->result->ledger = trial->ledger = ledger;
  if (!ledger) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  if (!sample) {
    return kiln_error_set(error, KILN_ERROR_INVALID, "No valid run without levers was made.");
  }
  trial->view = (struct kiln_lever_view){.report = trial->baseline,
      .cold = sample->cold.model,
      .warm = sample->warm.model,
      .cores = trial->baseline->host.cores,
      .production = trial->options->production};
  fill_environment(ledger, trial->baseline);
  fill_baseline(ledger, trial);
  ledger->goal = trial->options->production ? "production" : "edit-loop";
  ledger->consent = trial->options->allow_kernels;
  kiln_buf_init(&compared);
  kiln_outputs_describe(&trial->outputs, &compared);
  ledger->compared = kiln_ledger_text(ledger, "%s", kiln_buf_text(&compared));
  kiln_buf_release(&compared);
  return KILN_OK;
}

/* 2. Each lever once. */
static enum kiln_status
verify_all(struct kiln_trial *trial, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < trial->count && status == KILN_OK && trial->result->state == KILN_REPORT_COMPLETE; i++) {
    if (trial->candidates[i].trying) {
      status = kiln_trial_verify(trial, &trial->candidates[i], error);
    }
  }
  return status;
}

/* 4. What helped, together. */
static enum kiln_status
try_together(struct kiln_trial *trial, struct kiln_error *error)
{
  struct kiln_trial_candidate *combined = NULL;
  enum kiln_status status = kiln_trial_combine(trial, &combined, error);
  if (status == KILN_OK && combined) {
    status = kiln_trial_verify(trial, combined, error);
  }
  if (status == KILN_OK && combined && trial->result->state == KILN_REPORT_COMPLETE) {
    status = kiln_trial_pairs(trial, trial->count - 1, error);
  }
  return status;
}

static enum kiln_status
run_trial(struct kiln_trial *trial, struct kiln_error *error)
{
  enum kiln_status status = kiln_sandbox_new_guarded(
      trial->options->measure.temporary, trial->options->measure.supervisor, &trial->sandbox, error);
  if (status == KILN_OK) {
    status = measure_baseline(trial, error);
  }
  if (status == KILN_OK && trial->result->state == KILN_REPORT_COMPLETE) {
    status = begin_ledger(trial, error);
  }
  if (status != KILN_OK || !trial->ledger) {
    return status;
  }
  status = kiln_trial_choose(trial, error);
  if (status == KILN_OK) {
    status = verify_all(trial, error);
  }
  if (status == KILN_OK && trial->result->state == KILN_REPORT_COMPLETE) {
    status = kiln_trial_pairs(trial, 0, error);
  }
  if (status == KILN_OK && trial->result->state == KILN_REPORT_COMPLETE) {
    status = try_together(trial, error);
  }
  kiln_trial_conclude(trial);
  return status;
}

static void
trial_release(struct kiln_trial *trial)
{
  for (size_t i = 0; i < trial->count; i++) {
    struct kiln_trial_candidate *candidate = &trial->candidates[i];
    free(candidate->file);
    free(candidate->first);
    free(candidate->folder);
    kiln_buf_release(&candidate->difference);
  }
  free(trial->candidates);
  kiln_outputs_release(&trial->outputs);
  kiln_sandbox_free(trial->sandbox);
}

enum kiln_status
kiln_try(const struct kiln_try_options *options, struct kiln_try_result *result, struct kiln_buf *output_tail,
    struct kiln_error *error)
{
  struct kiln_trial trial = {.options = options, .result = result, .output_tail = output_tail};
  enum kiln_status status;
  memset(result, 0, sizeof *result);
  result->state = KILN_REPORT_COMPLETE;
  status = kiln_trial_check_names(options, error);
  if (status == KILN_OK) {
    status = check_environment(error);
  }
  if (status == KILN_OK && !kiln_outputs_init(&trial.outputs, options->files, options->file_count, options->check,
                               options->measure.supervisor)) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  if (status == KILN_OK) {
    status = run_trial(&trial, error);
  }
  if (status == KILN_OK && result->ledger && result->ledger->arena.failed) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the ledger.");
  }
  trial_release(&trial);
  return status;
}
