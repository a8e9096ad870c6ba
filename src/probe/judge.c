#include "probe/judge.h"

#include <stdlib.h>

#include "probe/compare.h"
#include "probe/compare_take.h"
#include "probe/stats.h"

static void
set_times(struct kiln_timed_pair *timed, int side, const struct kiln_report_sample *sample)
{
  timed->seconds[KILN_METRIC_COLD_CPU][side] = sample->cold.cpu_s;
  timed->seconds[KILN_METRIC_COLD_ELAPSED][side] = sample->cold.elapsed_s;
  timed->seconds[KILN_METRIC_WARM_CPU][side] = sample->warm.cpu_s;
  timed->seconds[KILN_METRIC_WARM_ELAPSED][side] = sample->warm.elapsed_s;
}

struct kiln_timed_pair *
kiln_report_timed_pairs(const struct kiln_report *report, size_t candidate, size_t *count)
{
  struct kiln_timed_pair *timed = calloc(report->pair_count + 1, sizeof *timed);
  *count = 0;
  for (size_t i = 0; timed && i < report->pair_count; i++) {
    const struct kiln_report_pair *pair = &report->pairs[i];
    if (!pair->valid || pair->candidate != candidate)
      continue;
    set_times(&timed[*count], 0, &report->arms[0].samples[pair->sample[0]]);
    set_times(&timed[*count], 1, &report->arms[candidate].samples[pair->sample[1]]);
    ++*count;
  }
  return timed;
}

/* Median overlap of the builds in the first pairs' cold runs of one side; values has room for them. */
static double
overlap_of(const struct kiln_report *report, size_t candidate, int side, double *values)
{
  const struct kiln_report_arm *arm = &report->arms[side ? candidate : 0];
  size_t n = 0;
  for (size_t i = 0; i < report->pair_count && n < kiln_looks[0].pairs; i++) {
    const struct kiln_report_pair *pair = &report->pairs[i];
    const struct kiln_model *model = arm->samples[pair->sample[side]].cold.model;
    if (pair->valid && pair->candidate == candidate)
      values[n++] = model ? model->overlap : 0;
  }
  return kiln_interval_of(values, n).median;
}

static enum kiln_metric
choose_metric(const struct kiln_report *report, const struct kiln_report_verdict *verdict)
{
  double values[16]; /* the first look has 11 pairs */
  if (verdict->elapsed_decides)
    return KILN_METRIC_COLD_ELAPSED;
  const double base = overlap_of(report, verdict->candidate, 0, values);
  const double candidate = overlap_of(report, verdict->candidate, 1, values);
  const bool same = verdict->work && verdict->work == kiln_work_name(KILN_WORK_SAME);
  return kiln_metric_deciding(same, base, candidate);
}

enum kiln_status
kiln_report_judge_time(struct kiln_report *report, struct kiln_report_verdict *verdict, struct kiln_error *error)
{
  size_t count;
  struct kiln_timed_pair *timed = kiln_report_timed_pairs(report, verdict->candidate, &count);
  enum kiln_metric metric = verdict->time.metric;
  if (!timed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the verdict on time.");
  if (count < kiln_looks[0].pairs)
    metric = KILN_METRIC_COLD_CPU;
  else if (verdict->time.sequence.look_count == 0)
    metric = choose_metric(report, verdict);
  const enum kiln_status status = kiln_time_judge(timed, count, metric, report->plan.resolution, &verdict->time, error);
  free(timed);
  return status;
}

static bool
keep_notes(struct kiln_report *report, struct kiln_report_verdict *verdict, const struct kiln_comparison *comparison)
{
  verdict->notes = kiln_arena_alloc(&report->arena, (comparison->note_count + 1) * sizeof *verdict->notes);
  verdict->note_count = 0;
  for (size_t i = 0; verdict->notes && i < comparison->note_count; i++) {
    verdict->notes[i] = kiln_arena_strdup(&report->arena, comparison->notes[i]);
    verdict->note_count += verdict->notes[i] != NULL;
  }
  return verdict->notes && verdict->note_count == comparison->note_count;
}

static enum kiln_status
compare_arms(struct kiln_report *report, struct kiln_report_verdict *verdict, const struct kiln_loaded_report *base,
    const struct kiln_loaded_report *candidate, struct kiln_error *error)
{
  struct kiln_comparison comparison = {0};
  enum kiln_status status = kiln_compare(base, candidate, &comparison, error);
  if (status != KILN_OK)
    return status;
  verdict->work = kiln_work_name(comparison.work);
  verdict->decided_by = comparison.decided_by;
  verdict->decided_warm = comparison.decided_warm;
  if (!keep_notes(report, verdict, &comparison))
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the verdict on work.");
  kiln_comparison_release(&comparison);
  return status;
}

enum kiln_status
kiln_report_judge_work(struct kiln_report *report, struct kiln_report_verdict *verdict, struct kiln_error *error)
{
  struct kiln_loaded_report *base = NULL, *candidate = NULL;
  enum kiln_status status = kiln_loaded_report_take(&report->arms[0], &base, error);
  if (status == KILN_OK)
    status = kiln_loaded_report_take(&report->arms[verdict->candidate], &candidate, error);
  if (status == KILN_OK)
    status = compare_arms(report, verdict, base, candidate, error);
  kiln_loaded_report_free(base);
  kiln_loaded_report_free(candidate);
  if (status == KILN_ERROR_INVALID) { /* nothing valid to compare is not an error of the report */
    verdict->work = NULL;
    return KILN_OK;
  }
  return status;
}
