/* Judging the rules of a gate: runs, stored reports, limits, verdicts. Builds: gate_builds.c. */
#include "probe/gate_judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/compare_load.h"
#include "probe/compare_take.h"
#include "probe/measure.h"
#include "probe/report/page.h"
#include "probe/report/time_parts.h"

#define MOST_NAMED 3

bool
kiln_gated_next(const struct kiln_report *report, size_t *at, struct kiln_gated_run *run)
{
  size_t seen = 0;
  for (size_t i = report->arm_count > 1 ? 1 : 0; i < report->arm_count; i++) {
    const struct kiln_report_arm *arm = &report->arms[i];
    for (size_t j = 0; j < arm->sample_count; j++)
      for (int warm = 0; warm < 2; warm++) {
        const struct kiln_report_sample *sample = &arm->samples[j];
        const struct kiln_report_run *of = warm ? &sample->warm : &sample->cold;
        if (!sample->valid || !of->present || !of->model || seen++ < *at)
          continue;
        *run = (struct kiln_gated_run){arm, sample, of, warm};
        *at = seen;
        return true;
      }
  }
  return false;
}

void
kiln_gated_name(const struct kiln_judging *judging, const struct kiln_gated_run *run, struct kiln_buf *out)
{
  if (judging->report->recorded) {
    kiln_buf_text_append(out, "the recorded run");
    return;
  }
  kiln_buf_printf(out, "the %s run of sample %d", run->warm ? "warm" : "cold", run->sample->index);
  if (judging->report->arm_count > 1)
    kiln_buf_printf(out, " of arm '%s'", run->arm->name);
}

void
kiln_judging_where(struct kiln_judging *judging, struct kiln_where where)
{
  struct kiln_gate_rule *rule = judging->rule;
  struct kiln_where *wider;
  if (!where.file)
    return;
  for (size_t i = 0; i < rule->where_count; i++)
    if (rule->where[i].line == where.line && kiln_text_equal(rule->where[i].file, where.file))
      return;
  wider = kiln_arena_alloc(&judging->gate->arena, (rule->where_count + 1) * sizeof *wider);
  if (!wider)
    return;
  if (rule->where_count)
    memcpy(wider, rule->where, rule->where_count * sizeof *wider);
  wider[rule->where_count] = (struct kiln_where){kiln_arena_strdup(&judging->gate->arena, where.file), where.line};
  rule->where = wider;
  rule->where_count++;
}

static void
append_build(const struct kiln_judging *judging, const struct kiln_model_build *build)
{
  const struct kiln_page page = {.folder = judging->report->folder};
  kiln_page_clean(judging->text, build->module);
  if (!build->where.file)
    return;
  kiln_buf_text_append(judging->text, " (");
  kiln_page_place(&page, build->where.file, build->where.line, judging->text);
  kiln_buf_text_append(judging->text, ")");
}

size_t
kiln_judging_builds(struct kiln_judging *judging, const struct kiln_gated_run *run, kiln_build_filter *chosen)
{
  const struct kiln_model *model = run->run->model;
  size_t count = 0;
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->result != KILN_BUILD_COMPILED || (chosen && !chosen(judging, run, build)))
      continue;
    if (count++ < MOST_NAMED) {
      kiln_buf_text_append(judging->text, count > 1 ? ", " : ": ");
      append_build(judging, build);
      kiln_judging_where(judging, build->where);
    }
  }
  if (count > MOST_NAMED)
    kiln_buf_printf(judging->text, " and %zu more", count - MOST_NAMED);
  return count;
}

/* ---- a stored report ---- */

static uint64_t
largest(const struct kiln_loaded_report *report, int run, enum kiln_count count)
{
  uint64_t most = 0;
  for (size_t i = 0; i < report->sample_count; i++)
    if (report->samples[i].run[run].present && report->samples[i].run[run].count[count] > most)
      most = report->samples[i].run[run].count[count];
  return most;
}

/* "cold builds 5 above 3"; true when a count is above the stored one. */
static bool
append_above(struct kiln_judging *judging, const struct kiln_loaded_report *now, const struct kiln_loaded_report *then)
{
  bool above = false;
  for (int run = 0; run < 2; run++)
    for (int i = 0; i < KILN_COUNT_COUNT; i++) {
      const enum kiln_count count = (enum kiln_count)i;
      const uint64_t a = largest(now, run, count), b = largest(then, run, count);
      if (!(judging->rule->counts & 1u << i) || a <= b)
        continue;
      kiln_buf_printf(judging->text, "%s%s %s %llu, there %llu", above ? "; " : "", run ? "warm" : "cold",
          kiln_count_name(count), (unsigned long long)a, (unsigned long long)b);
      above = true;
    }
  return above;
}

/* One arm against the stored one. What launches less or otherwise may compile less: that is no proof. */
static enum kiln_status
judge_arm(struct kiln_judging *judging, const struct kiln_loaded_report *now, const struct kiln_loaded_report *then,
    struct kiln_error *error)
{
  struct kiln_comparison comparison;
  const enum kiln_status status = kiln_compare(then, now, &comparison, error);
  if (status != KILN_OK)
    return status;
  if (append_above(judging, now, then)) {
    judging->rule->state = KILN_GATE_BROKEN;
  } else if (comparison.work == KILN_WORK_UNLIKE) {
    judging->rule->state = KILN_GATE_OPEN;
    kiln_buf_printf(judging->text, "the launches are not those of the stored report (%s); store a new one",
        comparison.note_count ? comparison.notes[0] : "they differ");
  } else {
    judging->rule->state = KILN_GATE_KEPT;
  }
  kiln_comparison_release(&comparison);
  return KILN_OK;
}

static enum kiln_status
judge_not_above(struct kiln_judging *judging, struct kiln_error *error)
{
  const struct kiln_report *report = judging->report;
  enum kiln_gate_state worst = KILN_GATE_KEPT;
  for (size_t i = report->arm_count > 1 ? 1 : 0; i < report->arm_count && worst == KILN_GATE_KEPT; i++) {
    struct kiln_loaded_report *now = NULL;
    enum kiln_status status = kiln_loaded_report_take(&report->arms[i], &now, error);
    if (status == KILN_OK)
      status = judge_arm(judging, now, judging->rule->stored->arms[0], error);
    kiln_loaded_report_free(now);
    if (status != KILN_OK)
      return status;
    worst = judging->rule->state;
  }
  if (worst == KILN_GATE_KEPT)
    kiln_buf_text_append(judging->text, "no count is above the stored one");
  return KILN_OK;
}

/* ---- time ---- */

static const struct kiln_interval *
limited(const struct kiln_report_arm *arm, enum kiln_gate_kind kind)
{
  switch (kind) {
  case KILN_GATE_MAX_COLD_ELAPSED:
    return &arm->cold.elapsed_s;
  case KILN_GATE_MAX_WARM_ELAPSED:
    return &arm->warm.elapsed_s;
  case KILN_GATE_MAX_COLD_CPU:
    return &arm->cold.cpu_s;
  default:
    return &arm->warm.cpu_s;
  }
}

/* "median 3.21 s of 3 runs": the first arm that breaks the limit, else the last one. */
static void
judge_limit(struct kiln_judging *judging)
{
  const struct kiln_report *report = judging->report;
  struct kiln_gate_rule *rule = judging->rule;
  rule->state = KILN_GATE_KEPT;
  for (size_t i = report->arm_count > 1 ? 1 : 0; i < report->arm_count && rule->state == KILN_GATE_KEPT; i++) {
    const struct kiln_interval *of = limited(&report->arms[i], rule->kind);
    kiln_buf_clear(judging->text);
    if (of->n == 0) {
      rule->state = KILN_GATE_OPEN;
      kiln_buf_text_append(judging->text, "no such run was made");
      return;
    }
    kiln_buf_text_append(judging->text, "median ");
    kiln_text_duration(judging->text, of->median);
    kiln_buf_printf(judging->text, " of %zu run%s", of->n, of->n == 1 ? "" : "s");
    if (report->arm_count > 1)
      kiln_buf_printf(judging->text, " of arm '%s'", report->arms[i].name);
    rule->state = of->median > rule->seconds ? KILN_GATE_BROKEN : KILN_GATE_KEPT;
  }
}

/* Broken before open before kept: the worst of the verdicts is told. */
static enum kiln_gate_state
state_of(const struct kiln_report_verdict *verdict)
{
  switch (verdict->time.sequence.verdict) {
  case KILN_VERDICT_REGRESSED:
    return KILN_GATE_BROKEN;
  case KILN_VERDICT_INCONCLUSIVE:
    return KILN_GATE_OPEN;
  default:
    return KILN_GATE_KEPT;
  }
}

static void
judge_not_slower(struct kiln_judging *judging)
{
  const struct kiln_report *report = judging->report;
  const struct kiln_report_verdict *told = NULL;
  static const enum kiln_gate_state order[] = {KILN_GATE_BROKEN, KILN_GATE_OPEN, KILN_GATE_KEPT};
  for (size_t k = 0; k < 3 && !told; k++)
    for (size_t i = 0; i < report->verdict_count && !told; i++)
      told = state_of(&report->verdicts[i]) == order[k] ? &report->verdicts[i] : NULL;
  if (!told) {
    judging->rule->state = KILN_GATE_OPEN;
    kiln_buf_text_append(judging->text, "there is one arm; name two with --arm, the first is the baseline");
    return;
  }
  judging->rule->state = state_of(told);
  kiln_buf_printf(judging->text, "'%s' ", report->arms[told->candidate].name);
  kiln_time_sentence(&told->time, judging->text);
}

/* ---- all rules ---- */

static enum kiln_status
judge_rule(struct kiln_judging *judging, struct kiln_error *error)
{
  static kiln_gate_judge_rule *const judges[KILN_GATE_KIND_COUNT] = {
      [KILN_GATE_NO_BUILD_WHEN_WARM] = kiln_judge_no_build_when_warm,
      [KILN_GATE_MAX_BUILDS] = kiln_judge_max_builds,
      [KILN_GATE_NO_BUILD_AFTER_LAUNCH] = kiln_judge_after_launch,
      [KILN_GATE_NO_BUILD_AFTER_MARK] = kiln_judge_after_mark,
      [KILN_GATE_STABLE_IDENTITIES] = kiln_judge_identities,
      [KILN_GATE_MAX_COLD_ELAPSED] = judge_limit,
      [KILN_GATE_MAX_WARM_ELAPSED] = judge_limit,
      [KILN_GATE_MAX_COLD_CPU] = judge_limit,
      [KILN_GATE_MAX_WARM_CPU] = judge_limit,
      [KILN_GATE_NOT_SLOWER] = judge_not_slower,
  };
  if (judging->rule->kind == KILN_GATE_NOT_ABOVE)
    return judge_not_above(judging, error);
  judges[judging->rule->kind](judging);
  return KILN_OK;
}

enum kiln_status
kiln_gate_judge(struct kiln_gate *gate, const struct kiln_report *report, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  struct kiln_buf text;
  gate->judged = report->state == KILN_REPORT_COMPLETE && !report->unfinished;
  if (!gate->judged) {
    gate->refusal = kiln_arena_strdup(
        &gate->arena, report->failure      ? report->failure
                      : report->unfinished ? "A process of the record has no end: it was killed, or it still runs."
                                           : "The measurement was not completed.");
    return KILN_OK;
  }
  kiln_buf_init(&text);
  for (size_t i = 0; i < gate->count && status == KILN_OK; i++) {
    struct kiln_judging judging = {gate, report, &gate->rules[i], &text};
    kiln_buf_clear(&text);
    status = judge_rule(&judging, error);
    gate->rules[i].sentence = kiln_arena_strdup(&gate->arena, kiln_buf_text(&text));
    if (status == KILN_OK && (text.failed || gate->arena.failed))
      status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  kiln_buf_release(&text);
  return status;
}

int
kiln_gate_exit(const struct kiln_gate *gate, const struct kiln_report *report)
{
  const int stopped = kiln_report_exit(report);
  if (!gate->judged)
    return stopped ? stopped : 3;
  return kiln_gate_count(gate, KILN_GATE_BROKEN) ? 1 : kiln_gate_count(gate, KILN_GATE_OPEN) ? 3 : 0;
}
