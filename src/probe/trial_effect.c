/* From pairs to numbers, and from numbers to a decision. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "probe/judge.h"
#include "probe/trial_state.h"

#define LEAST_S 1e-6             /* a shorter time counts as this, so that there is a ratio */
#define METRIC_PROGRAM "program" /* the program's own time in warm runs, outside all that a framework does */

static struct kiln_ledger_effect *
add_effect(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const char *metric)
{
  struct kiln_ledger_effect *effect;
  if (!KILN_GROW(entry->effects, entry->effect_count, entry->effect_capacity)) {
    ledger->arena.failed = true;
    return NULL;
  }
  effect = &entry->effects[entry->effect_count++];
  *effect = (struct kiln_ledger_effect){.metric = metric};
  return effect;
}

static void
set_look(struct kiln_ledger_effect *effect, const struct kiln_look *look)
{
  effect->look = look->pairs > 0;
  effect->pairs = look->pairs > 0 ? look->pairs : effect->pairs;
  effect->percent = kiln_log_percent(look->estimate);
  effect->low = kiln_log_percent(look->low);
  effect->high = kiln_log_percent(look->high);
  effect->verdict = look->verdict;
}

static void
keep_seconds(struct kiln_ledger *ledger, struct kiln_ledger_effect *effect, enum kiln_metric metric,
    const struct kiln_timed_pair *timed, size_t count)
{
  for (int side = 0; side < 2; side++) {
    double *seconds = kiln_arena_alloc(&ledger->arena, (count + 1) * sizeof *seconds);
    for (size_t i = 0; seconds && i < count; i++) {
      seconds[i] = timed[i].seconds[metric][side];
    }
    effect->seconds[side] = seconds;
  }
  effect->pairs_raw = effect->seconds[0] && effect->seconds[1] ? count : 0;
}

static void
take_metric(struct kiln_trial *trial, struct kiln_ledger_entry *entry, const struct kiln_time *time,
    enum kiln_metric metric, const struct kiln_timed_pair *timed, size_t count)
{
  const struct kiln_timed_metric *of = &time->metrics[metric];
  struct kiln_ledger_effect *effect = add_effect(trial->ledger, entry, kiln_metric_name(metric));
  if (!effect) {
    return;
  }
  effect->before_s = of->median[0];
  effect->after_s = of->median[1];
  effect->pairs = time->pairs_used;
  set_look(effect, &of->look);
  effect->verdict = metric == time->metric ? time->sequence.verdict : effect->verdict;
  keep_seconds(trial->ledger, effect, metric, timed, count);
}

/* The one that decides first; before the first look that is what will decide. */
static void
take_metrics(struct kiln_trial *trial, struct kiln_ledger_entry *entry, const struct kiln_time *time, bool elapsed,
    const struct kiln_timed_pair *timed, size_t count)
{
  const enum kiln_metric first = time->sequence.look_count > 0 || !elapsed ? time->metric : KILN_METRIC_COLD_ELAPSED;
  take_metric(trial, entry, time, first, timed, count);
  for (int metric = 0; metric < KILN_METRIC_COUNT; metric++) {
    if ((enum kiln_metric)metric != first) {
      take_metric(trial, entry, time, (enum kiln_metric)metric, timed, count);
    }
  }
}

static double
program_s(const struct kiln_report_run *warm)
{
  return (double)(warm->phase[KILN_PHASE_PROGRAM].wall_ns + warm->phase[KILN_PHASE_FIRST_LAUNCH].wall_ns) / 1e9;
}

/* Memory for the program's own times: of each side, their logarithmic ratios, and a copy to sort. */
struct program_times {
  double *side[2]; /* in the ledger */
  double *ratio, *sorted;
  size_t count;
};

/* false: memory is short. */
static bool
program_times_init(struct program_times *times, struct kiln_ledger *ledger, size_t most)
{
  *times = (struct program_times){
      .ratio = calloc(most + 1, sizeof *times->ratio), .sorted = calloc(most + 1, sizeof *times->sorted)};
  times->side[0] = kiln_arena_alloc(&ledger->arena, (most + 1) * sizeof(double));
  times->side[1] = kiln_arena_alloc(&ledger->arena, (most + 1) * sizeof(double));
  return times->ratio && times->sorted && times->side[0] && times->side[1];
}

static void
collect_program_times(struct program_times *times, const struct kiln_report *pairs, size_t arm)
{
  for (size_t i = 0; i < pairs->pair_count && times->count < KILN_SEQUENTIAL_MAX; i++) {
    const struct kiln_report_pair *pair = &pairs->pairs[i];
    const size_t n = times->count;
    if (!pair->valid || pair->candidate != arm) {
      continue;
    }
    times->side[0][n] = fmax(program_s(&pairs->arms[0].samples[pair->sample[0]].warm), LEAST_S);
    times->side[1][n] = fmax(program_s(&pairs->arms[arm].samples[pair->sample[1]].warm), LEAST_S);
    times->ratio[n] = log(times->side[1][n]) - log(times->side[0][n]);
    times->count++;
  }
}

static double
median_of(struct program_times *times, int side)
{
  for (size_t i = 0; i < times->count; i++) {
    times->sorted[i] = times->side[side][i];
  }
  return kiln_interval_of(times->sorted, times->count).median;
}

static enum kiln_status
judge_program_times(
    struct program_times *times, double resolution, struct kiln_ledger_effect *effect, struct kiln_error *error)
{
  struct kiln_sequence sequence = {0};
  const enum kiln_status status = kiln_sequence_judge(times->ratio, times->count, resolution, &sequence, error);
  if (status != KILN_OK) {
    return status;
  }
  effect->before_s = median_of(times, 0);
  effect->after_s = median_of(times, 1);
  effect->seconds[0] = times->side[0];
  effect->seconds[1] = times->side[1];
  effect->pairs = effect->pairs_raw = times->count;
  if (sequence.look_count > 0) {
    set_look(effect, &sequence.looks[sequence.look_count - 1]);
  }
  return KILN_OK;
}

/* Kernels that were changed run in warm runs without being built: what they cost there is their steady cost. */
static enum kiln_status
take_program(struct kiln_trial *trial, struct kiln_ledger_entry *entry, const struct kiln_report *pairs, size_t arm,
    struct kiln_error *error)
{
  struct kiln_ledger_effect *effect = add_effect(trial->ledger, entry, METRIC_PROGRAM);
  struct program_times times;
  enum kiln_status status;
  if (!program_times_init(&times, trial->ledger, pairs->pair_count) || !effect) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  } else {
    collect_program_times(&times, pairs, arm);
    status = judge_program_times(&times, pairs->plan.resolution, effect, error);
  }
  free(times.sorted);
  free(times.ratio);
  return status;
}

double
kiln_trial_gain(const struct kiln_ledger_entry *entry)
{
  const struct kiln_ledger_effect *elapsed = kiln_ledger_effect_of(entry, kiln_metric_name(KILN_METRIC_COLD_ELAPSED));
  return elapsed && elapsed->look ? log1p(elapsed->percent / 100) : 0;
}

/* For people: "cold_cpu" is "cold CPU". */
static const char *
metric_words(const char *metric)
{
  static const char *const words[][2] = {{"cold_cpu", "cold CPU time"}, {"cold_elapsed", "cold elapsed time"},
      {"warm_cpu", "warm CPU time"}, {"warm_elapsed", "warm elapsed time"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (kiln_text_equal(metric, words[i][0])) {
      return words[i][1];
    }
  }
  return metric;
}

/* What the pairs say of kernels that run slower: in production that outweighs any start. */
static bool
is_slower_when_warm(const struct kiln_ledger_entry *entry)
{
  const struct kiln_ledger_effect *program = kiln_ledger_effect_of(entry, METRIC_PROGRAM);
  return entry->changes_kernels && program && program->look && program->verdict == KILN_VERDICT_REGRESSED;
}

/* A program that only builds ahead of time launches nothing: what its kernels cost when they run stays unknown. */
static void
decide_unlaunched(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate,
    const struct kiln_ledger_effect *effect, const char *words)
{
  kiln_trial_decide(trial, candidate, trial->options->production ? KILN_LEDGER_INCONCLUSIVE : KILN_LEDGER_APPLIED,
      "%s falls by %.1f %% [%.1f, %.1f], from %.2f s to %.2f s; nothing was launched, so what the kernels cost when "
      "they "
      "run was not measured.",
      words, -effect->percent, -effect->high, -effect->low, effect->before_s, effect->after_s);
}

static void
decide_improved(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  const struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  const struct kiln_ledger_effect *effect = &entry->effects[0], *program = kiln_ledger_effect_of(entry, METRIC_PROGRAM);
  const char *words = metric_words(effect->metric);
  if (is_slower_when_warm(entry) && trial->options->production) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_DECLINED,
        "It saves %.1f %% of %s, but the program itself then runs %+.1f %% [%+.1f, %+.1f] in every start.",
        -effect->percent, words, program->percent, program->low, program->high);
  } else if (is_slower_when_warm(entry)) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_APPLIED,
        "%s falls by %.1f %%; the program itself then runs %+.1f %% [%+.1f, %+.1f].", words, -effect->percent,
        program->percent, program->low, program->high);
  } else if (entry->changes_kernels && trial->view.cold->counts.launches == 0) {
    decide_unlaunched(trial, candidate, effect, words);
  } else {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_APPLIED, "%s falls by %.1f %% [%.1f, %.1f], from %.2f s to %.2f s.",
        words, -effect->percent, -effect->high, -effect->low, effect->before_s, effect->after_s);
  }
}

static void
decide_time(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate)
{
  const struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  const struct kiln_ledger_effect *effect = &entry->effects[0];
  const char *words = metric_words(effect->metric);
  switch (effect->verdict) {
  case KILN_VERDICT_IMPROVED:
    decide_improved(trial, candidate);
    break;
  case KILN_VERDICT_REGRESSED:
    kiln_trial_decide(trial, candidate, KILN_LEDGER_DECLINED, "It costs: %s rises by %.1f %% [%.1f, %.1f].", words,
        effect->percent, effect->low, effect->high);
    break;
  case KILN_VERDICT_SAME:
    kiln_trial_decide(trial, candidate, KILN_LEDGER_DECLINED,
        "No effect of %g %% or more on %s (%+.1f %% [%+.1f, %+.1f]).", 100 * trial->options->measure.resolution, words,
        effect->percent, effect->low, effect->high);
    break;
  case KILN_VERDICT_INCONCLUSIVE:
    kiln_trial_decide(trial, candidate, KILN_LEDGER_INCONCLUSIVE,
        "%zu pair%s do%s not decide on %s (%.2f s without, %.2f s with)%s.", effect->pairs,
        effect->pairs == 1 ? "" : "s", effect->pairs == 1 ? "es" : "", words, effect->before_s, effect->after_s,
        effect->look ? "; more pairs may" : "; the first verdict comes at 11");
    break;
  }
}

/* Runs of pairs are compared too: what differed there outranks any gain. */
static bool
stays_alive(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate, const char *work)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  if (candidate->output == KILN_OUTPUT_DIFFERS) {
    entry->output = kiln_output_name(candidate->output);
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "The program did something else with it in a pair. %s",
        kiln_buf_text(&candidate->difference));
    return false;
  }
  if (kiln_text_equal(work, "UNLIKE")) {
    entry->launches = "differ";
    kiln_trial_decide(trial, candidate, KILN_LEDGER_REFUSED, "The program launched other kernels with it in a pair.");
    return false;
  }
  return true;
}

enum kiln_status
kiln_trial_effects(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate,
    const struct kiln_report *pairs, size_t arm, struct kiln_error *error)
{
  struct kiln_ledger_entry *entry = kiln_trial_entry(trial, candidate);
  const struct kiln_report_verdict *verdict = arm <= pairs->verdict_count ? &pairs->verdicts[arm - 1] : NULL;
  struct kiln_timed_pair *timed;
  size_t count;
  enum kiln_status status = KILN_OK;
  if (!verdict || !verdict->work) {
    kiln_trial_decide(trial, candidate, KILN_LEDGER_INCONCLUSIVE, "No valid pair was made.");
    return KILN_OK;
  }
  timed = kiln_report_timed_pairs(pairs, arm, &count);
  if (!timed) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  entry->work = verdict->work;
  entry->decided_by = verdict->decided_by;
  take_metrics(trial, entry, &verdict->time, verdict->elapsed_decides, timed, count);
  free(timed);
  if (entry->changes_kernels) {
    status = take_program(trial, entry, pairs, arm, error);
  }
  if (status == KILN_OK && entry->effect_count > 0 && stays_alive(trial, candidate, verdict->work)) {
    decide_time(trial, candidate);
  }
  return status;
}
