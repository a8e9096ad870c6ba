#include "probe/measure_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/conditions.h"
#include "os/random.h"
#include "probe/coin.h"
#include "probe/judge.h"

#define BASELINE 0
#define CANDIDATE 1

/* What the loop over pairs knows of one candidate. */
struct candidate {
  struct kiln_report_verdict *verdict;
  size_t valid, voided;
};

struct pair_maker {
  struct kiln_measurement *measurement;
  struct kiln_coin coin;
  struct candidate *candidates; /* of arms[1] … */
  size_t count;
  size_t limit; /* valid pairs of each candidate */
  uint64_t deadline_ns;
};

/* One pair while it is made; [0] baseline, [1] candidate. */
struct pair_run {
  struct kiln_measurement_place places[2];
  struct kiln_report_sample *samples[2];
  struct kiln_sweep cold[2], warm[2];
  bool candidate_first;
};

bool
kiln_pairs_too_many_void(size_t made, size_t voided)
{
  return voided > 1 && voided * 10 > made;
}

int
kiln_pairs_limit(int max_pairs)
{
  const size_t reached = kiln_look_reached((size_t)max_pairs);
  return reached ? (int)reached : max_pairs;
}

static bool
pair_over(struct kiln_measurement *measurement)
{
  return kiln_measurement_stopped(measurement) || measurement->void_because;
}

/* Both arms once, as "cold" or "warm"; side by side or one after the other, in the order of the coin. */
static enum kiln_status
run_two(struct kiln_measurement *measurement, struct pair_run *pair, const char *run, struct kiln_error *error)
{
  const int first = pair->candidate_first ? CANDIDATE : BASELINE, second = 1 - first;
  const bool cold = run[0] == 'c';
  struct kiln_measurement_place places[2];
  struct kiln_report_run *out[2];
  enum kiln_status status;
  pair->places[0].run = pair->places[1].run = run;
  places[0] = pair->places[first];
  places[1] = pair->places[second];
  out[0] = cold ? &pair->samples[first]->cold : &pair->samples[first]->warm;
  out[1] = cold ? &pair->samples[second]->cold : &pair->samples[second]->warm;
  if (!measurement->report->plan.serial) {
    return kiln_measurement_run_both(measurement, places, out, error);
  }
  status = kiln_measurement_run(measurement, &places[0], out[0], error);
  if (status == KILN_OK && !pair_over(measurement)) {
    status = kiln_measurement_run(measurement, &places[1], out[1], error);
  }
  return status;
}

static enum kiln_status
sweep_two(struct kiln_measurement *measurement, struct pair_run *pair, bool cold, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (int i = 0; i < 2 && status == KILN_OK; i++) {
    struct kiln_report_run *run = cold ? &pair->samples[i]->cold : &pair->samples[i]->warm;
    if (run->present) {
      status = kiln_measurement_sweep(measurement, &pair->places[i], run, cold ? NULL : &pair->cold[i],
          cold ? &pair->cold[i] : &pair->warm[i], error);
    }
  }
  return status;
}

static enum kiln_status
run_and_sweep_two(struct kiln_measurement *measurement, struct pair_run *pair, const char *run,
    struct kiln_conditions *conditions, struct kiln_error *error)
{
  struct kiln_conditions_mark begin;
  enum kiln_status status;
  kiln_conditions_mark(&begin);
  status = run_two(measurement, pair, run, error);
  kiln_conditions_since(&begin, conditions);
  return status == KILN_OK ? sweep_two(measurement, pair, run[0] == 'c', error) : status;
}

/* Cold runs of both, then warm runs on what they left. */
static enum kiln_status
run_pair(struct kiln_measurement *measurement, struct pair_run *pair, struct kiln_conditions *cold,
    struct kiln_conditions *warm, struct kiln_error *error)
{
  enum kiln_status status;
  int i;
  measurement->void_because = NULL;
  for (i = 0; i < 2; i++) {
    kiln_sweep_init(&pair->cold[i]);
    kiln_sweep_init(&pair->warm[i]);
  }
  status = run_and_sweep_two(measurement, pair, "cold", cold, error);
  if (status == KILN_OK && !pair_over(measurement)) {
    status = run_and_sweep_two(measurement, pair, "warm", warm, error);
  }
  kiln_measurement_check_escape(measurement);
  for (i = 0; i < 2; i++) {
    kiln_sweep_release(&pair->cold[i]);
    kiln_sweep_release(&pair->warm[i]);
    kiln_sandbox_sample_remove(measurement->sandbox, pair->places[i].folder);
  }
  return status;
}

/* Each pair has two folders of the sandbox; index 0 is the unmeasured one. */
static void
pair_places(struct pair_run *pair, const struct kiln_measure_options *options, size_t candidate, int index)
{
  for (int i = 0; i < 2; i++) {
    pair->places[i].arm = &options->arms[i == BASELINE ? 0 : candidate];
    pair->places[i].folder = 2 * index + i;
    pair->places[i].sample = index;
  }
}

/* For the page cache and the bytecode; a failure here is one of the command. */
static enum kiln_status
warm_up(struct pair_maker *maker, size_t candidate, struct kiln_error *error)
{
  struct kiln_report_sample samples[2];
  struct kiln_conditions unused;
  struct pair_run pair = {.candidate_first = kiln_coin_flip(&maker->coin)};
  enum kiln_status status;
  memset(samples, 0, sizeof samples);
  pair_places(&pair, maker->measurement->options, candidate, 0);
  pair.samples[0] = &samples[0];
  pair.samples[1] = &samples[1];
  maker->measurement->voids = false;
  status = run_pair(maker->measurement, &pair, &unused, &unused, error);
  maker->measurement->voids = true;
  for (int i = 0; i < 2; i++) {
    kiln_model_free(samples[i].cold.model);
    kiln_model_free(samples[i].warm.model);
  }
  return status;
}

static void
close_pair(struct pair_maker *maker, struct kiln_report_pair *pair, struct pair_run *run, bool made)
{
  struct kiln_measurement *measurement = maker->measurement;
  struct kiln_report *report = measurement->report;
  struct candidate *candidate = &maker->candidates[pair->candidate - 1];
  pair->valid = made && report->state == KILN_REPORT_COMPLETE && !measurement->void_because;
  if (!pair->valid) {
    pair->invalid_because = measurement->void_because ? measurement->void_because
                            : report->failure         ? report->failure
                                                      : "kiln could not finish it.";
  }
  for (int i = 0; i < 2; i++) {
    run->samples[i]->valid = pair->valid;
    run->samples[i]->invalid_because = pair->invalid_because;
  }
  candidate->valid += pair->valid;
  candidate->voided += measurement->void_because ? 1 : 0;
  if (kiln_pairs_too_many_void(candidate->valid + candidate->voided, candidate->voided)) {
    kiln_measurement_stop(measurement, KILN_REPORT_FAILED, "%zu of %zu pairs are void, more than one in ten: %s",
        candidate->voided, candidate->valid + candidate->voided, measurement->void_because);
  }
}

static enum kiln_status
make_pair(struct pair_maker *maker, size_t candidate, struct kiln_error *error)
{
  struct kiln_report *report = maker->measurement->report;
  struct kiln_report_arm *arms[2] = {&report->arms[0], &report->arms[candidate]};
  struct kiln_report_pair *pair = &report->pairs[report->pair_count++];
  struct pair_run run = {.candidate_first = kiln_coin_flip(&maker->coin)};
  enum kiln_status status;
  pair->index = (int)report->pair_count;
  pair->candidate = candidate;
  pair->candidate_first = run.candidate_first;
  pair_places(&run, maker->measurement->options, candidate, pair->index);
  for (int i = 0; i < 2; i++) {
    pair->sample[i] = arms[i]->sample_count;
    run.samples[i] = &arms[i]->samples[arms[i]->sample_count++];
    run.samples[i]->index = pair->index;
  }
  status = run_pair(maker->measurement, &run, &pair->cold, &pair->warm, error);
  kiln_measurement_versions(report, &run.samples[0]->cold);
  close_pair(maker, pair, &run, status == KILN_OK);
  return status;
}

static bool
is_done(const struct pair_maker *maker, const struct candidate *candidate)
{
  return candidate->valid >= maker->limit || candidate->verdict->time.sequence.verdict != KILN_VERDICT_INCONCLUSIVE;
}

static bool
is_look(size_t pairs)
{
  return pairs > 0 && kiln_look_reached(pairs) == pairs;
}

/* A further pair, and the verdict when it completes a look. */
static enum kiln_status
advance(struct pair_maker *maker, size_t candidate, struct kiln_error *error)
{
  struct kiln_report *report = maker->measurement->report;
  struct candidate *of = &maker->candidates[candidate - 1];
  const size_t before = of->valid;
  enum kiln_status status = make_pair(maker, candidate, error);
  if (status != KILN_OK || of->valid == before || !is_look(of->valid)) {
    return status;
  }
  status = kiln_report_judge_work(report, of->verdict, error);
  return status == KILN_OK ? kiln_report_judge_time(report, of->verdict, error) : status;
}

static bool
time_is_up(const struct pair_maker *maker)
{
  return maker->deadline_ns && kiln_clock_now() >= maker->deadline_ns;
}

/* Candidates in random order; order has room for all. */
static size_t
shuffle_open(struct pair_maker *maker, size_t *order)
{
  size_t n = 0;
  for (size_t i = 0; i < maker->count; i++) {
    if (!is_done(maker, &maker->candidates[i])) {
      order[n++] = i + 1;
    }
  }
  for (size_t i = n; i > 1; i--) {
    const size_t other = (size_t)kiln_coin_below(&maker->coin, i), kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
  return n;
}

static enum kiln_status
make_rounds(struct pair_maker *maker, size_t *order, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  size_t n;
  while (status == KILN_OK && (n = shuffle_open(maker, order)) > 0) {
    for (size_t i = 0; i < n && status == KILN_OK; i++) {
      if (kiln_measurement_stopped(maker->measurement) || time_is_up(maker)) {
        return KILN_OK;
      }
      status = advance(maker, order[i], error);
    }
  }
  return status;
}

/* A measurement that came to its end did so in spite of void pairs: they are said, what they printed is not. */
static void
note_voids(const struct pair_maker *maker)
{
  struct kiln_measurement *measurement = maker->measurement;
  struct kiln_report *report = measurement->report;
  size_t voided = 0;
  for (size_t i = 0; i < maker->count; i++) {
    voided += maker->candidates[i].voided;
  }
  if (voided > 0) {
    kiln_report_warn(report, "Pairs that are void because a run failed: %zu of %zu.", voided, report->pair_count);
  }
  if (report->state == KILN_REPORT_COMPLETE && measurement->output_tail) {
    kiln_buf_clear(measurement->output_tail);
  }
}

/* Work and time from all that there is, also when the measurement was stopped. */
static enum kiln_status
judge_all(struct kiln_report *report, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < report->verdict_count && status == KILN_OK; i++) {
    status = kiln_report_judge_work(report, &report->verdicts[i], error);
    if (status == KILN_OK) {
      status = kiln_report_judge_time(report, &report->verdicts[i], error);
    }
  }
  return status;
}

/* Side by side each arm has half of the machine, so overlap gains little there. */
static void
note_overlap(struct kiln_report *report)
{
  for (size_t i = 0; i < report->verdict_count && !report->plan.serial; i++) {
    if (report->verdicts[i].time.metric == KILN_METRIC_COLD_ELAPSED) {
      kiln_report_warn(report,
          "The builds of one arm overlap, and both arms shared the processors: --serial shows what "
          "the overlap saves.");
    }
  }
}

static void
fill_plan(struct kiln_report *report, const struct kiln_measure_options *options)
{
  struct kiln_report_plan *plan = &report->plan;
  plan->serial = options->serial || report->host.cores < 2 || options->until.port > 0 || options->terminal_input;
  plan->max_pairs = kiln_pairs_limit(options->max_pairs);
  plan->max_time_s = options->max_time_s;
  plan->resolution = options->resolution;
  if (plan->serial && !options->serial) {
    kiln_report_warn(report, "The arms ran one after the other: %s.",
        report->host.cores < 2 ? "one processor is usable"
                               : "two programs cannot share the port or the terminal at the same moment");
  }
  if (plan->max_pairs < (int)kiln_looks[0].pairs) {
    kiln_report_warn(report, "There is no verdict on time from fewer than %zu pairs.", kiln_looks[0].pairs);
  }
}

/* Memory and randomness for the loop; candidates and order are the caller's to free. */
static enum kiln_status
maker_init(struct pair_maker *maker, struct kiln_measurement *measurement, struct kiln_error *error)
{
  struct kiln_report *report = measurement->report;
  maker->measurement = measurement;
  maker->count = report->arm_count - 1;
  maker->limit = (size_t)report->plan.max_pairs;
  maker->candidates = calloc(maker->count, sizeof *maker->candidates);
  report->verdicts = kiln_arena_alloc(&report->arena, maker->count * sizeof *report->verdicts);
  if (!maker->candidates || !report->verdicts) {
    kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
    return KILN_ERROR_MEMORY;
  }
  if (!kiln_random_bits(&report->plan.seed)) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "The system gives no random numbers for the order of arms.");
    return KILN_ERROR_ENVIRONMENT;
  }
  kiln_coin_init(&maker->coin, report->plan.seed);
  report->verdict_count = maker->count;
  for (size_t i = 0; i < maker->count; i++) {
    report->verdicts[i].candidate = i + 1;
    report->verdicts[i].elapsed_decides = measurement->options->arms[i + 1].change.elapsed_decides;
    report->verdicts[i].time.resolution = report->plan.resolution;
    maker->candidates[i].verdict = &report->verdicts[i];
  }
  if (report->plan.max_time_s > 0) {
    maker->deadline_ns = kiln_clock_now() + (uint64_t)(report->plan.max_time_s * 1e9);
  }
  return KILN_OK;
}

static enum kiln_status
make_all(struct pair_maker *maker, struct kiln_error *error)
{
  struct kiln_measurement *measurement = maker->measurement;
  enum kiln_status status = KILN_OK;
  size_t *order = calloc(maker->count, sizeof *order);
  if (!order) {
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  }
  for (size_t i = 1; i <= maker->count && status == KILN_OK; i++) {
    if (measurement->options->warmup > 0 && !kiln_measurement_stopped(measurement)) {
      status = warm_up(maker, i, error);
    }
  }
  measurement->voids = true;
  if (status == KILN_OK) {
    status = make_rounds(maker, order, error);
    note_voids(maker);
  }
  free(order);
  return status;
}

enum kiln_status
kiln_measurement_pairs(struct kiln_measurement *measurement, struct kiln_error *error)
{
  struct pair_maker maker = {0};
  enum kiln_status status, judged;
  fill_plan(measurement->report, measurement->options);
  status = maker_init(&maker, measurement, error);
  if (status == KILN_OK) {
    status = make_all(&maker, error);
    judged = judge_all(measurement->report, status == KILN_OK ? error : NULL);
    status = status == KILN_OK ? judged : status;
    note_overlap(measurement->report);
  }
  free(maker.candidates);
  return status;
}
