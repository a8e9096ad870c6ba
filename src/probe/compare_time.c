#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/compare_launches.h"
#include "probe/compare_load.h"

/* Environments that differ in these have other times and may do other work; the rest is only noted. */
static const char *const telling_facts[] = {"cpu", "cores", "kernel", "python", "framework"};

static bool
is_telling(const char *name)
{
  for (size_t i = 0; i < sizeof telling_facts / sizeof *telling_facts; i++)
    if (kiln_text_equal(telling_facts[i], name))
      return true;
  return false;
}

static bool
environments_differ(const struct kiln_loaded_report *a, const struct kiln_loaded_report *b)
{
  for (int i = 0; i < KILN_LOADED_FACTS; i++)
    if (is_telling(kiln_loaded_fact_names[i]) && strcmp(a->facts[i], b->facts[i]) != 0)
      return true;
  return false;
}

static const struct kiln_loaded_sample *
find_sample(const struct kiln_loaded_report *arm, int64_t index)
{
  for (size_t i = 0; i < arm->sample_count; i++)
    if (arm->samples[i].index == index)
      return &arm->samples[i];
  return NULL;
}

static void
set_times(struct kiln_timed_pair *timed, int side, const struct kiln_loaded_sample *sample)
{
  timed->seconds[KILN_METRIC_COLD_CPU][side] = sample->run[0].cpu_s;
  timed->seconds[KILN_METRIC_COLD_ELAPSED][side] = sample->run[0].elapsed_s;
  timed->seconds[KILN_METRIC_WARM_CPU][side] = sample->run[1].cpu_s;
  timed->seconds[KILN_METRIC_WARM_ELAPSED][side] = sample->run[1].elapsed_s;
}

/* Judged anew from the raw times, by the rule of this kiln. */
static enum kiln_status
judge_time(const struct kiln_loaded_file *file, size_t candidate, struct kiln_time *time, struct kiln_error *error)
{
  size_t n = 0;
  struct kiln_timed_pair *timed = calloc(file->pair_count + 1, sizeof *timed);
  if (!timed) {
    kiln_error_set(error, KILN_ERROR_MEMORY, "memory ran out while pairs were compared");
    return KILN_ERROR_MEMORY;
  }
  for (size_t i = 0; i < file->pair_count && n < KILN_SEQUENTIAL_MAX; i++) {
    const struct kiln_loaded_pair *pair = &file->pairs[i];
    if (pair->candidate != candidate)
      continue;
    const struct kiln_loaded_sample *base = find_sample(file->arms[0], pair->index);
    const struct kiln_loaded_sample *other = find_sample(file->arms[candidate], pair->index);
    if (!base || !other)
      continue;
    set_times(&timed[n], 0, base);
    set_times(&timed[n++], 1, other);
  }
  const enum kiln_status status = kiln_time_judge(timed, n, file->metrics[candidate], file->resolution, time, error);
  free(timed);
  return status;
}

static enum kiln_status
keep_or_release(struct kiln_comparison *comparison, bool kept, struct kiln_error *error)
{
  if (kept)
    return KILN_OK;
  kiln_comparison_release(comparison);
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory ran out while two reports were compared");
}

static void
set_sides(struct kiln_comparison *comparison, const char *a_name, const struct kiln_loaded_report *a,
    const char *b_name, const struct kiln_loaded_report *b)
{
  snprintf(comparison->names[0], sizeof comparison->names[0], "%s", a_name);
  snprintf(comparison->names[1], sizeof comparison->names[1], "%s", b_name);
  snprintf(comparison->commands[0], sizeof comparison->commands[0], "%s", a->command);
  snprintf(comparison->commands[1], sizeof comparison->commands[1], "%s", b->command);
}

/* Notes name what is compared: within one file the arms, whose files have one name. */
static enum kiln_status
compare_named(const struct kiln_loaded_report *a, const char *a_name, const struct kiln_loaded_report *b,
    const char *b_name, struct kiln_comparison *comparison, struct kiln_error *error)
{
  struct kiln_loaded_report first = *a, second = *b; /* borrowed tables */
  first.name = a_name;
  second.name = b_name;
  const enum kiln_status status = kiln_compare(&first, &second, comparison, error);
  if (status == KILN_OK)
    set_sides(comparison, a_name, a, b_name, b);
  return status;
}

static bool
note_rule(struct kiln_comparison *comparison, const struct kiln_loaded_file *file)
{
  return !file->other_rule || kiln_comparison_note(comparison,
                                  "'%s' was judged by another rule than %s; its pairs are judged anew by this one",
                                  file->arms[0]->name, KILN_SEQUENTIAL_RULE);
}

enum kiln_status
kiln_compare_arms(
    const struct kiln_loaded_file *file, size_t candidate, struct kiln_comparison *comparison, struct kiln_error *error)
{
  const struct kiln_loaded_report *base = file->arms[0], *other = file->arms[candidate];
  enum kiln_status status = compare_named(base, base->arm, other, other->arm, comparison, error);
  if (status != KILN_OK)
    return status;
  status = judge_time(file, candidate, &comparison->time, error);
  if (status != KILN_OK) {
    kiln_comparison_release(comparison);
    return status;
  }
  comparison->arms[1] = candidate;
  comparison->recorded = KILN_RECORDED_TOGETHER;
  comparison->verdict = comparison->time.sequence.verdict;
  comparison->metric = comparison->time.metric;
  comparison->change = comparison->time.metrics[comparison->metric].look;
  comparison->serial = file->serial;
  comparison->seed = file->seed;
  return keep_or_release(comparison, note_rule(comparison, file), error);
}

static bool
same_anchor(const struct kiln_loaded_file *a, const struct kiln_loaded_file *b)
{
  const struct kiln_loaded_report *x = a->arms[0], *y = b->arms[0];
  return a->arm_count > 1 && b->arm_count > 1 && x->inputs[0] && kiln_text_equal(x->inputs, y->inputs) &&
         kiln_text_equal(x->command, y->command);
}

/* Both changes are relative to the anchor; what their intervals do not share is a change between the two. */
static enum kiln_verdict
judge_change(struct kiln_look *change, const struct kiln_look *a, const struct kiln_look *b, double resolution)
{
  const double floor = log1p(KILN_SEQUENTIAL_FLOOR), margin = log1p(resolution);
  *change = (struct kiln_look){.pairs = a->pairs < b->pairs ? a->pairs : b->pairs,
      .estimate = b->estimate - a->estimate,
      .low = b->low - a->high,
      .high = b->high - a->low,
      .inner_low = b->inner_low - a->inner_high,
      .inner_high = b->inner_high - a->inner_low};
  if (change->low > 0 && change->estimate >= floor)
    change->verdict = KILN_VERDICT_REGRESSED;
  else if (change->high < 0 && change->estimate <= -floor)
    change->verdict = KILN_VERDICT_IMPROVED;
  else if (change->inner_low > -margin && change->inner_high < margin)
    change->verdict = KILN_VERDICT_SAME;
  return change->verdict;
}

static enum kiln_status
compare_anchored(const struct kiln_loaded_file *a, size_t arm_a, const struct kiln_loaded_file *b, size_t arm_b,
    struct kiln_comparison *comparison, struct kiln_error *error)
{
  struct kiln_time first, second;
  enum kiln_status status = judge_time(a, arm_a, &first, error);
  if (status == KILN_OK)
    status = judge_time(b, arm_b, &second, error);
  if (status != KILN_OK) {
    kiln_comparison_release(comparison);
    return status;
  }
  const struct kiln_look *x = &first.metrics[first.metric].look, *y = &second.metrics[first.metric].look;
  bool kept = note_rule(comparison, a) && note_rule(comparison, b);
  comparison->recorded = KILN_RECORDED_ANCHORED;
  comparison->metric = first.metric;
  if (x->pairs && y->pairs && first.metric == second.metric)
    comparison->verdict =
        judge_change(&comparison->change, x, y, a->resolution > b->resolution ? a->resolution : b->resolution);
  else
    kept = kept && kiln_comparison_note(comparison, "there is no verdict on time: %s",
                       first.metric == second.metric ? "one report has fewer than 11 pairs"
                                                     : "different metrics decided in the two reports");
  return keep_or_release(comparison, kept, error);
}

/* With a common baseline the baseline itself is no side to compare. */
static enum kiln_status
choose_arm(const struct kiln_loaded_file *file, const char *name, bool anchored, size_t *arm, struct kiln_error *error)
{
  *arm = anchored ? 1 : 0;
  return name ? kiln_loaded_file_arm(file, name, arm, error) : KILN_OK;
}

static void
refuse_environment(struct kiln_comparison *comparison)
{
  comparison->work = KILN_WORK_UNLIKE;
  comparison->decided_by = NULL;
  comparison->unlike_environment = true;
}

enum kiln_status
kiln_compare_files(const struct kiln_loaded_file *a, const struct kiln_loaded_file *b, const char *arm,
    bool allow_environment, struct kiln_comparison *comparison, struct kiln_error *error)
{
  bool anchored = same_anchor(a, b);
  size_t arm_a, arm_b;
  enum kiln_status status = choose_arm(a, arm, anchored, &arm_a, error);
  if (status == KILN_OK)
    status = choose_arm(b, arm, anchored, &arm_b, error);
  if (status != KILN_OK)
    return status;
  anchored = anchored && arm_a > 0 && arm_b > 0;
  const struct kiln_loaded_report *x = a->arms[arm_a], *y = b->arms[arm_b];
  status = compare_named(x, x->name, y, y->name, comparison, error);
  if (status != KILN_OK)
    return status;
  comparison->arms[0] = arm_a;
  comparison->arms[1] = arm_b;
  if (anchored)
    return compare_anchored(a, arm_a, b, arm_b, comparison, error);
  if (environments_differ(x, y) && !allow_environment)
    refuse_environment(comparison);
  return KILN_OK;
}
