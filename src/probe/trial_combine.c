/* Levers that helped, together as one arm; and what then remains. */
#include <string.h>

#include "base/text.h"
#include "probe/trial_state.h"

/* Two ways to the same thing: of each set only the better one goes into a combination. */
static const char *const alternatives[][2] = {
    {"prebuild", "prebuild_threads"}, {"pch", "shared_pch"}, {"persistent_cache", "readonly_cache"}};

static bool
helped(const struct kiln_trial *trial, size_t i)
{
  return kiln_trial_entry(trial, &trial->candidates[i])->state == KILN_LEDGER_APPLIED;
}

static const char *
rival_of(const char *id)
{
  for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++) {
    for (int side = 0; side < 2; side++) {
      if (kiln_text_equal(alternatives[i][side], id)) {
        return alternatives[i][1 - side];
      }
    }
  }
  return NULL;
}

/* Is there an accepted lever that does the same, and more? On a tie the first stays. */
static size_t
better_rival(const struct kiln_trial *trial, size_t i)
{
  const char *rival = rival_of(trial->candidates[i].id);
  const double gain = kiln_trial_gain(kiln_trial_entry(trial, &trial->candidates[i]));
  for (size_t j = 0; rival && j < trial->count; j++) {
    const double other = kiln_trial_gain(kiln_trial_entry(trial, &trial->candidates[j]));
    if (kiln_text_equal(trial->candidates[j].id, rival) && helped(trial, j) &&
        (other < gain || (!(gain < other) && j < i))) {
      return j;
    }
  }
  return trial->count;
}

static void
drop_rivals(struct kiln_trial *trial)
{
  for (size_t i = 0; i < trial->count; i++) {
    const size_t better = helped(trial, i) ? better_rival(trial, i) : trial->count;
    if (better < trial->count) {
      kiln_trial_decide(trial, &trial->candidates[i], KILN_LEDGER_DECLINED,
          "It helps, but '%s' does the same and helps more.", trial->candidates[better].id);
    }
  }
}

static size_t
parts_of(struct kiln_trial *trial, size_t *parts)
{
  size_t n = 0;
  for (size_t i = 0; i < trial->count; i++) {
    if (helped(trial, i)) {
      parts[n++] = i;
    }
  }
  return n;
}

static void
name_parts(const struct kiln_trial *trial, const size_t *parts, size_t count, struct kiln_buf *id, struct kiln_buf *all)
{
  kiln_buf_text_append(all, "[");
  for (size_t i = 0; i < count; i++) {
    kiln_buf_printf(id, "%s%s", i ? "+" : "", trial->candidates[parts[i]].id);
    kiln_buf_printf(all, "%s%s", i ? "," : "", trial->candidates[parts[i]].object);
  }
  kiln_buf_text_append(all, "]");
}

static void
fill_combined(struct kiln_trial *trial, const struct kiln_trial_candidate *combined, const char *change)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, combined);
  entry->title = "what helped, together";
  entry->combination = true;
  entry->change = change;
  entry->removed = "What each of its levers removes.";
  entry->undo = "Undo each of its levers.";
  for (size_t i = 0; i < combined->part_count; i++) {
    const struct kiln_ledger_entry *part = kiln_trial_entry(trial, &trial->candidates[combined->parts[i]]);
    entry->changes_kernels = entry->changes_kernels || part->changes_kernels;
    for (size_t line = 0; line + 1 < part->line_count; line++) {
      kiln_ledger_line(trial->ledger, entry, part->lines[line].where, part->lines[line].text);
    }
  }
  kiln_ledger_line(trial->ledger, entry, "without a change of the source", "kiln apply LEDGER -- COMMAND");
}

/* The lever that stands for it: one that moves work in time makes the whole be measured one after the other. */
static const struct kiln_lever *
lever_of(const struct kiln_trial *trial, const size_t *parts, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (trial->candidates[parts[i]].lever->flags & KILN_LEVER_AHEAD) {
      return trial->candidates[parts[i]].lever;
    }
  }
  return trial->candidates[parts[0]].lever;
}

enum kiln_status
kiln_trial_combine(struct kiln_trial *trial, struct kiln_trial_candidate **combined, struct kiln_error *error)
{
  size_t *parts, count;
  struct kiln_buf id, all;
  *combined = NULL;
  drop_rivals(trial);
  parts = kiln_arena_alloc(&trial->ledger->arena, (trial->count + 1) * sizeof *parts);
  if (!parts) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  count = parts_of(trial, parts);
  if (count < 2) {
    return KILN_OK;
  }
  kiln_buf_init(&id);
  kiln_buf_init(&all);
  name_parts(trial, parts, count, &id, &all);
  *combined = kiln_trial_add(trial, lever_of(trial, parts, count), kiln_buf_text(&id));
  if (*combined) {
    (*combined)->parts = parts;
    (*combined)->part_count = count;
    (*combined)->trying = true;
    fill_combined(trial, *combined, kiln_ledger_text(trial->ledger, "%s", kiln_buf_text(&all)));
  }
  kiln_buf_release(&id);
  kiln_buf_release(&all);
  return *combined ? KILN_OK : kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
}

/* The accepted entry with the largest gain; NULL when nothing was accepted. */
static struct kiln_ledger_entry *
best_entry(const struct kiln_ledger *ledger, bool combination)
{
  struct kiln_ledger_entry *best = NULL;
  for (size_t i = 0; i < ledger->entry_count; i++) {
    struct kiln_ledger_entry *entry = &ledger->entries[i];
    if (entry->state == KILN_LEDGER_APPLIED && entry->combination == combination &&
        (!best || kiln_trial_gain(entry) < kiln_trial_gain(best))) {
      best = entry;
    }
  }
  return best;
}

/* Several levers that were not measured together, or are no better together, are not applied together. */
static void
keep_one(struct kiln_ledger *ledger, const struct kiln_ledger_entry *best, const char *why)
{
  for (size_t i = 0; i < ledger->entry_count; i++) {
    struct kiln_ledger_entry *entry = &ledger->entries[i];
    if (entry->state == KILN_LEDGER_APPLIED && entry != best) {
      entry->state = KILN_LEDGER_DECLINED;
      entry->why =
          kiln_ledger_text(ledger, "It helps alone, but '%s' helps more, and %s. %s", best->lever, why, entry->why);
    }
  }
}

static struct kiln_ledger_entry *
choose_best(struct kiln_ledger *ledger)
{
  struct kiln_ledger_entry *single = best_entry(ledger, false), *together = best_entry(ledger, true);
  if (together && single && kiln_trial_gain(together) <= kiln_trial_gain(single)) {
    return together;
  }
  if (single) {
    keep_one(ledger, single, together ? "together they are no better" : "together they were not shown to help");
  }
  return single;
}

static double
after(const struct kiln_ledger_entry *entry, const char *metric)
{
  const struct kiln_ledger_effect *effect = kiln_ledger_effect_of(entry, metric);
  return effect ? effect->after_s : -1;
}

void
kiln_trial_conclude(struct kiln_trial *trial)
{
  struct kiln_ledger *ledger = trial->ledger;
  struct kiln_ledger_entry *best = choose_best(ledger);
  if (!best) {
    ledger->remain = kiln_ledger_text(ledger,
        "Nothing was shown to help: all of the %.2f s of a cold run remain; a warm run takes %.2f s.",
        ledger->cold_elapsed_s, ledger->warm_elapsed_s);
    return;
  }
  ledger->remain_elapsed_s = after(best, "cold_elapsed");
  ledger->remain_cpu_s = after(best, "cold_cpu");
  ledger->remain = kiln_ledger_text(ledger,
      "With %s a cold run takes %.2f s (%.2f s of CPU time); a warm run takes %.2f s without any lever.", best->lever,
      ledger->remain_elapsed_s, ledger->remain_cpu_s, ledger->warm_elapsed_s);
}
