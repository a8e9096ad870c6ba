/* Which levers are tried: named ones, or all that the run without levers supports. */
#include <string.h>

#include "base/text.h"
#include "probe/diagnose.h"
#include "probe/levers/ahead.h"
#include "probe/trial_state.h"
#include "registry/probe.h"

static void
list_levers(struct kiln_buf *text)
{
  for (size_t i = 0; i < kiln_registered_lever_count; i++) {
    kiln_buf_printf(text, "%s%s", i ? ", " : "", kiln_registered_levers[i]->id);
  }
}

static enum kiln_status
check_name(const char *word, struct kiln_error *error)
{
  const struct kiln_lever *lever = kiln_lever_find(word);
  const char *equals = strchr(word, '=');
  struct kiln_buf all;
  if (!lever) {
    kiln_buf_init(&all);
    list_levers(&all);
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "There is no lever '%s'.", word);
    kiln_error_advise(error, "Levers are %s.", kiln_buf_text(&all));
    kiln_buf_release(&all);
    return KILN_ERROR_ARGUMENT;
  }
  if (equals && !lever->accepts) {
    return kiln_error_set(
        error, KILN_ERROR_ARGUMENT, "The lever '%s' takes no value, but '%s' gives one.", lever->id, word);
  }
  if (equals && !lever->accepts(equals + 1)) {
    return kiln_error_set(
        error, KILN_ERROR_ARGUMENT, "The lever '%s' cannot have the value '%s'.", lever->id, equals + 1);
  }
  return KILN_OK;
}

enum kiln_status
kiln_trial_check_names(const struct kiln_try_options *options, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < options->lever_count && status == KILN_OK; i++) {
    status = check_name(options->levers[i], error);
    for (size_t j = 0; j < i && status == KILN_OK; j++) {
      if (kiln_lever_find(options->levers[i]) == kiln_lever_find(options->levers[j])) {
        status = kiln_error_set(error, KILN_ERROR_ARGUMENT, "The lever '%s' is named twice: '%s' and '%s'.",
            kiln_lever_find(options->levers[i])->id, options->levers[j], options->levers[i]);
      }
    }
  }
  return status;
}

struct kiln_trial_candidate *
kiln_trial_add(struct kiln_trial *trial, const struct kiln_lever *lever, const char *id)
{
  struct kiln_trial_candidate *candidate;
  struct kiln_ledger_entry *entry = kiln_ledger_add(trial->ledger, id);
  if (!entry || !KILN_GROW(trial->candidates, trial->count, trial->capacity)) {
    trial->ledger->arena.failed = true;
    return NULL;
  }
  candidate = &trial->candidates[trial->count++];
  memset(candidate, 0, sizeof *candidate);
  candidate->lever = lever;
  candidate->view = trial->view;
  candidate->id = entry->lever;
  candidate->entry = trial->ledger->entry_count - 1;
  kiln_buf_init(&candidate->difference);
  return candidate;
}

/* The object without a folder: where `kiln apply` keeps things is its own choice. */
static const char *
make_object(struct kiln_trial *trial, const struct kiln_lever *lever, const struct kiln_lever_view *view)
{
  struct kiln_buf text;
  struct kiln_json json;
  const char *object;
  kiln_buf_init(&text);
  kiln_json_init(&json, &text, false);
  lever->make(view, &json);
  object = kiln_ledger_text(trial->ledger, "%s", kiln_buf_text(&text));
  kiln_buf_release(&text);
  return object;
}

static void
add_lines(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  struct kiln_buf where, text;
  kiln_buf_init(&where);
  kiln_buf_init(&text);
  if (candidate->lever->lines) {
    if (candidate->lever->flags & KILN_LEVER_IN_FILES) {
      kiln_lever_files(&candidate->view, &where);
    } else {
      kiln_lever_entry(&candidate->view, &where);
    }
    candidate->lever->lines(&candidate->view, &text);
    kiln_ledger_line(trial->ledger, entry,
        kiln_text_starts(kiln_buf_text(&text), "export ") ? "in the shell" : kiln_buf_text(&where),
        kiln_buf_text(&text));
  }
  kiln_ledger_line(trial->ledger, entry, "without a change of the source", "kiln apply LEDGER -- COMMAND");
  kiln_buf_release(&where);
  kiln_buf_release(&text);
}

/* At most what all builds together take: nobody measured more than that. */
static void
fill_would_buy(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, const char *flag)
{
  const struct kiln_lever_ahead ahead = kiln_lever_ahead_of(&trial->view);
  kiln_trial_entry(trial, candidate)->would_buy = kiln_ledger_text(trial->ledger,
      "Not measured; at most the %.2f s of all builds. To see it: kiln try %s --lever %s -- …", ahead.sum_s, flag,
      candidate->id);
}

static void
decide_unsafe(struct kiln_trial *trial, struct kiln_trial_candidate *candidate, const char *reason)
{
  if (trial->options->force && candidate->chosen) {
    kiln_trial_entry(trial, candidate)->forced = true;
    candidate->trying = true;
    return;
  }
  kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "%s", reason);
  fill_would_buy(trial, candidate, "--force");
}

static void
decide_supported(struct kiln_trial *trial, struct kiln_trial_candidate *candidate)
{
  if (candidate->lever->flags & KILN_LEVER_KERNELS && !trial->options->allow_kernels) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_DECLINED, "Not tried: needs your consent.");
    fill_would_buy(trial, candidate, "--allow-kernel-changes");
    return;
  }
  candidate->trying = true;
}

static void
decide(struct kiln_trial *trial, struct kiln_trial_candidate *candidate, const char *reason, bool small)
{
  if (candidate->answer == KILN_LEVER_UNSAFE) {
    decide_unsafe(trial, candidate, reason);
  } else if (candidate->chosen) {
    decide_supported(trial, candidate);
  } else if (candidate->answer == KILN_LEVER_POINTLESS) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_DECLINED, "Nothing to gain in this run: %s", reason);
  } else if (small) {
    kiln_trial_decide(
        trial, candidate, KILN_LEDGER_DECLINED, "Compiling is a small part of this program; nothing was tried.");
  } else {
    decide_supported(trial, candidate);
  }
}

static bool
serves(const struct kiln_lever *lever, const char *id)
{
  const size_t len = strlen(id);
  for (const char *at = strstr(lever->mechanisms, id); at; at = strstr(at + 1, id)) {
    if ((at == lever->mechanisms || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0')) {
      return true;
    }
  }
  return false;
}

/* What the diagnosis says of the mechanisms that it serves. */
static void
add_findings(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < trial->baseline->finding_count; i++) {
    const struct kiln_finding *finding = &trial->baseline->findings[i];
    if (serves(candidate->lever, finding->id)) {
      kiln_buf_clear(&text);
      kiln_buf_printf(&text, "%s: %s", finding->id, finding->sentence);
      kiln_ledger_evidence(trial->ledger, kiln_trial_entry(trial, candidate), kiln_buf_text(&text));
    }
  }
  kiln_buf_release(&text);
}

static void
add_candidate(struct kiln_trial *trial, const struct kiln_lever *lever, const char *word, bool small)
{
  struct kiln_trial_candidate *candidate = kiln_trial_add(trial, lever, lever->id);
  struct kiln_ledger_entry *entry;
  struct kiln_buf reason;
  if (!candidate) {
    return;
  }
  entry = kiln_trial_entry(trial, candidate);
  candidate->chosen = word != NULL;
  candidate->view.value = word && strchr(word, '=') ? strchr(word, '=') + 1 : NULL;
  kiln_buf_init(&reason);
  candidate->answer = lever->supports(&candidate->view, &reason);
  candidate->object = make_object(trial, lever, &candidate->view);
  entry->title = lever->title;
  entry->mechanisms = lever->mechanisms;
  entry->changes_kernels = (lever->flags & KILN_LEVER_KERNELS) != 0;
  entry->supports = kiln_ledger_text(trial->ledger, "%s", kiln_buf_text(&reason));
  entry->removed = lever->removes;
  entry->undo = lever->undo;
  entry->change = candidate->object;
  add_lines(trial, candidate);
  add_findings(trial, candidate);
  decide(trial, candidate, entry->supports, small);
  kiln_buf_release(&reason);
}

/* Then the diagnosis advises no lever. */
static bool
compiling_is_small(struct kiln_trial *trial)
{
  const struct kiln_diagnosis *diagnosis = &trial->baseline->diagnosis;
  kiln_diagnosis_fill(trial->baseline);
  if (!diagnosis->small || !diagnosis->sentence) {
    return false;
  }
  kiln_ledger_note(trial->ledger, diagnosis->sentence);
  kiln_trial_say(trial, "%s", diagnosis->sentence);
  return true;
}

/* Printed before anything is tried: what is measured later must not be better. */
static void
tell_ceiling(struct kiln_trial *trial)
{
  const struct kiln_lever_ahead ahead = kiln_lever_ahead_of(&trial->view);
  struct kiln_ledger_ceiling *ceiling = &trial->ledger->ceiling;
  if (ahead.builds == 0) {
    return;
  }
  *ceiling = (struct kiln_ledger_ceiling){.builds = ahead.builds,
      .sum_s = ahead.sum_s,
      .largest_s = ahead.largest_s,
      .header_s = ahead.header_s,
      .largest = kiln_ledger_text(trial->ledger, "%s", ahead.largest),
      .speedup = ahead.speedup,
      .elapsed_s = ahead.best_s,
      .cores = trial->view.cores};
  kiln_trial_say(trial,
      "The ceiling of building ahead: %.2f s of building one after another (builds: %zu), the largest (%s) %.2f s and "
      "the header "
      "before it %.2f s, so at most %.1f times faster; the whole cold run at best %.2f s instead of %.2f s, on %d "
      "cores.",
      ahead.sum_s, ahead.builds, ahead.largest, ahead.largest_s, ahead.header_s, ceiling->speedup, ahead.best_s,
      ahead.elapsed_s, ceiling->cores);
}

/* Who waits for starts in production is told of kept caches first; who edits and runs, of all others. */
static void
add_all(struct kiln_trial *trial, bool kept, bool small)
{
  for (size_t i = 0; i < kiln_registered_lever_count; i++) {
    if (((kiln_registered_levers[i]->flags & KILN_LEVER_KEPT) != 0) == kept) {
      add_candidate(trial, kiln_registered_levers[i], NULL, small);
    }
  }
}

enum kiln_status
kiln_trial_choose(struct kiln_trial *trial, struct kiln_error *error)
{
  const struct kiln_try_options *options = trial->options;
  const bool small = compiling_is_small(trial);
  tell_ceiling(trial);
  for (size_t i = 0; i < options->lever_count; i++) {
    add_candidate(trial, kiln_lever_find(options->levers[i]), options->levers[i], small);
  }
  if (options->lever_count == 0) {
    add_all(trial, options->production, small);
    add_all(trial, !options->production, small);
  }
  return trial->ledger->arena.failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.") : KILN_OK;
}
