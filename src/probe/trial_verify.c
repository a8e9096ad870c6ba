/* A cold and a warm run with a lever: what does not arrive, or changes what the program does, is not measured. */
#include <string.h>

#include "base/text.h"
#include "probe/compare.h"
#include "probe/compare_take.h"
#include "probe/trial_arrive.h"
#include "probe/trial_state.h"

#define MISSED_SHOWN 4

/* The verdict on work from the run without and the run with. *unlike: what differs in launches; NULL: nothing. */
static enum kiln_status
compare_work(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, const struct kiln_report *with,
    const char **unlike, struct kiln_error *error)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  struct kiln_loaded_report *a = NULL, *b = NULL;
  struct kiln_comparison comparison = {0};
  enum kiln_status status = kiln_loaded_report_take(&trial->baseline->arms[0], &a, error);
  if (status == KILN_OK) {
    status = kiln_loaded_report_take(&with->arms[0], &b, error);
  }
  if (status == KILN_OK) {
    status = kiln_compare(a, b, &comparison, error);
  }
  if (status == KILN_OK) {
    entry->work = kiln_work_name(comparison.work);
    entry->decided_by = comparison.decided_by;
    entry->launches = comparison.work == KILN_WORK_UNLIKE ? "differ" : "same";
    if (comparison.work == KILN_WORK_UNLIKE) {
      *unlike = kiln_ledger_text(trial->ledger, "%s", comparison.note_count ? comparison.notes[0] : "not told which");
    }
    kiln_comparison_release(&comparison);
  }
  kiln_loaded_report_free(a);
  kiln_loaded_report_free(b);
  return status;
}

static void
name_missed(const struct kiln_ledger_entry *entry, struct kiln_buf *text)
{
  size_t shown = 0;
  for (size_t i = 0; i < entry->module_count; i++) {
    if (!entry->modules[i].arrived && shown++ < MISSED_SHOWN) {
      kiln_buf_printf(text, "%s%s", shown > 1 ? "; " : "", entry->modules[i].module);
      kiln_buf_printf(text, ": %s", entry->modules[i].because ? entry->modules[i].because : "not known");
    }
  }
  if (shown > MISSED_SHOWN) {
    kiln_buf_printf(text, "; and %zu more", shown - MISSED_SHOWN);
  }
}

/* Of what only moves work in time, a part may be missed: the program then builds that part as ever. */
static bool
judge_arrival(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, bool arrived, const char *because)
{
  const struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  const bool some = entry->missed < entry->module_count;
  struct kiln_buf missed;
  if (arrived || ((candidate->lever->flags & (KILN_LEVER_AHEAD | KILN_LEVER_KEPT)) && some)) {
    return true;
  }
  kiln_buf_init(&missed);
  name_missed(entry, &missed);
  if (because) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "It could not be applied: %s.", because);
  } else if (entry->module_count == 0) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "There is no module that it could act on.");
  } else {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "It did not arrive in %zu of %zu modules (%s).",
        entry->missed, entry->module_count, kiln_buf_text(&missed));
  }
  kiln_buf_release(&missed);
  return false;
}

/* What it prints first: that is what the user would see. Kernels that changed need an output that shows what they do;
 * others only must not be seen to differ. */
static bool
judge_output(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, const char *unlike)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  entry->output = kiln_output_name(candidate->output);
  if (candidate->output == KILN_OUTPUT_DIFFERS) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "The program does something else with it. %s%s%s",
        kiln_buf_text(&candidate->difference), unlike ? " Launches differ too: " : "", unlike ? unlike : "");
    return false;
  }
  if (unlike) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "The program launches other kernels with it: %s", unlike);
    return false;
  }
  if (entry->changes_kernels && candidate->output != KILN_OUTPUT_SAME) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_INCONCLUSIVE,
        "It changes kernels, and nothing shows that results stay (output: %s). Give --check or --compare-files.",
        entry->output);
    return false;
  }
  return true;
}

/* Asked for against a refusal: shown what it does, and refused all the same. */
static bool
judge_forced(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  const struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  if (!entry->forced) {
    return true;
  }
  kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "%s What was compared (%s) did not show it.",
      entry->supports ? entry->supports : "", trial->ledger->compared);
  return false;
}

/* Of a combination each part, in rows of the one entry. */
static bool
has_arrived(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, const struct kiln_model *with,
    const char **because)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  struct kiln_arriving arriving = {candidate->lever, &candidate->view, with, candidate->part_count > 0};
  bool arrived = true;
  const char *failed = NULL;
  if (candidate->part_count == 0) {
    return kiln_trial_arrived(&arriving, trial->ledger, entry, because);
  }
  for (size_t i = 0; i < candidate->part_count; i++) {
    const struct kiln_trial_candidate *part = &trial->candidates[candidate->parts[i]];
    arriving.lever = part->lever;
    arriving.view = &part->view;
    arrived = kiln_trial_arrived(&arriving, trial->ledger, entry, because) && arrived;
    failed = *because ? *because : failed;
  }
  *because = failed;
  return arrived;
}

static enum kiln_status
judge_run(struct kiln_trial *trial, struct kiln_trial_candidate *candidate, const struct kiln_report *with,
    struct kiln_error *error)
{
  const char *because = NULL, *unlike = NULL;
  bool arrived;
  enum kiln_status status = compare_work(trial, candidate, with, &unlike, error);
  if (status != KILN_OK) {
    return status;
  }
  arrived = has_arrived(trial, candidate, with->arms[0].samples[0].cold.model, &because);
  if (!judge_arrival(trial, candidate, arrived, because)) {
    return KILN_OK;
  }
  candidate->alive = judge_output(trial, candidate, unlike) && judge_forced(trial, candidate);
  return KILN_OK;
}

static bool
timed_out(const struct kiln_report *with)
{
  const struct kiln_report_sample *sample = with->arms[0].samples;
  return with->arms[0].sample_count > 0 &&
         (sample->cold.result.end == KILN_RUN_TIMEOUT || sample->warm.result.end == KILN_RUN_TIMEOUT);
}

/* A program that fails or hangs with the lever is the lever's failure; a run that cannot be used shows nothing. */
static enum kiln_status
judge_report(struct kiln_trial *trial, struct kiln_trial_candidate *candidate, const struct kiln_report *with,
    struct kiln_error *error)
{
  const char *failure = with->failure ? with->failure : "it failed.";
  if (with->state == KILN_REPORT_COMPLETE) {
    return judge_run(trial, candidate, with, error);
  }
  if (with->state == KILN_REPORT_INTERRUPTED) {
    kiln_trial_stopped(trial, with);
    kiln_trial_decide(trial, candidate, KILN_LEDGER_INCONCLUSIVE, "Interrupted while it was tried.");
  } else if (with->state == KILN_REPORT_INVALID && !timed_out(with)) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_INCONCLUSIVE, "The run with it cannot be used: %s", failure);
  } else {
    kiln_trial_decide(
        trial, candidate, KILN_LEDGER_REFUSED, "The program does not run with it as without: %s", failure);
  }
  return KILN_OK;
}

enum kiln_status
kiln_trial_verify(struct kiln_trial *trial, struct kiln_trial_candidate *candidate, struct kiln_error *error)
{
  struct kiln_measure_options measure = kiln_trial_measure(trial);
  struct kiln_report *with = NULL;
  enum kiln_status status = kiln_trial_files(trial, candidate, error);
  if (status != KILN_OK) {
    return status;
  }
  kiln_trial_say(trial, "Checking %s: %s.", candidate->id, kiln_trial_entry(trial, candidate)->title);
  measure.change = kiln_trial_change(candidate);
  measure.samples = 1;
  measure.warmup = (candidate->lever->flags & KILN_LEVER_FOLDER) != 0; /* times of these two runs are not used */
  trial->current = candidate;
  status = kiln_measure(&measure, &with, NULL, error);
  trial->current = NULL;
  if (status == KILN_OK) {
    with->arms[0].name = candidate->id; /* in sentences about what differs */
    status = judge_report(trial, candidate, with, error);
  }
  kiln_report_free(with);
  return status;
}
