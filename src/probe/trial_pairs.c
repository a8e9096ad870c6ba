/* Levers and baseline in pairs: one group side by side, one group one after the other. */
#include <stdlib.h>
#include <string.h>

#include "probe/trial_state.h"

static bool
is_serial(const struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  const struct kiln_try_options *options = trial->options;
  return options->measure.serial || options->file_count > 0 || options->check ||
         (candidate->lever->flags & KILN_LEVER_AHEAD) != 0;
}

/* Candidates of one group, from index `from` on; indices into out, which has room for all. */
static size_t
group_of(const struct kiln_trial *trial, size_t from, bool serial, size_t *out)
{
  size_t n = 0;
  for (size_t i = from; i < trial->count; i++) {
    if (trial->candidates[i].alive && is_serial(trial, &trial->candidates[i]) == serial) {
      out[n++] = i;
    }
  }
  return n;
}

static enum kiln_status
take_effects(struct kiln_trial *trial, const size_t *members, size_t count, const struct kiln_report *pairs,
    struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < count && status == KILN_OK; i++) {
    status = kiln_trial_effects(trial, &trial->candidates[members[i]], pairs, i + 1, error);
  }
  return status;
}

/* A run that failed in too many pairs, or an interruption: what was measured until then is kept. */
static void
note_stop(struct kiln_trial *trial, const struct kiln_report *pairs)
{
  if (pairs->state == KILN_REPORT_INTERRUPTED) {
    kiln_trial_stopped(trial, pairs);
  } else if (pairs->state != KILN_REPORT_COMPLETE) {
    kiln_ledger_note(trial->ledger, kiln_ledger_text(trial->ledger, "The pairs ended early: %s",
                                        pairs->failure ? pairs->failure : "a run failed."));
  }
}

static enum kiln_status
measure_group(struct kiln_trial *trial, const size_t *members, size_t count, bool serial, struct kiln_error *error)
{
  struct kiln_measure_options measure = kiln_trial_measure(trial);
  struct kiln_measure_arm *arms = calloc(count + 1, sizeof *arms);
  struct kiln_report *pairs = NULL;
  enum kiln_status status;
  if (!arms) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  arms[0] = (struct kiln_measure_arm){.name = "base", .command = measure.command};
  for (size_t i = 0; i < count; i++) {
    const struct kiln_trial_candidate *candidate = &trial->candidates[members[i]];
    arms[i + 1] = (struct kiln_measure_arm){candidate->id, measure.command, kiln_trial_change(candidate)};
  }
  measure.arms = arms;
  measure.arm_count = count + 1;
  measure.serial = serial;
  kiln_trial_say(trial, "%zu lever%s in pairs with the program as it is, %s.", count, count == 1 ? "" : "s",
      serial ? "one after the other" : "side by side");
  trial->paired = true;
  status = kiln_measure(&measure, &pairs, NULL, error);
  trial->paired = false;
  if (pairs && status == KILN_OK) {
    note_stop(trial, pairs);
    status = take_effects(trial, members, count, pairs, error);
  }
  kiln_report_free(pairs);
  free(arms);
  return status;
}

enum kiln_status
kiln_trial_pairs(struct kiln_trial *trial, size_t from, struct kiln_error *error)
{
  size_t *members = calloc(trial->count + 1, sizeof *members), count;
  enum kiln_status status = KILN_OK;
  if (!members) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  for (int serial = 0; serial < 2 && status == KILN_OK; serial++) {
    count = group_of(trial, from, serial == 1, members);
    if (count > 0 && trial->result->state == KILN_REPORT_COMPLETE) {
      status = measure_group(trial, members, count, serial == 1, error);
    }
  }
  free(members);
  return status;
}
