#include <inttypes.h>
#include <stdio.h>

#include "probe/report/json_parts.h"
#include "probe/report/time_parts.h"

static void
write_text(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_key(json, key);
  kiln_json_string(json, text);
}

static void
write_count(struct kiln_json *json, const char *key, size_t count)
{
  kiln_json_key(json, key);
  kiln_json_uint(json, count);
}

static void
write_double(struct kiln_json *json, const char *key, double value)
{
  kiln_json_key(json, key);
  kiln_json_double(json, value);
}

/* Negative: not known. */
static void
write_known(struct kiln_json *json, const char *key, double value)
{
  kiln_json_key(json, key);
  if (value < 0)
    kiln_json_null(json);
  else
    kiln_json_double(json, value);
}

static void
write_two(struct kiln_json *json, const char *key, const double values[2])
{
  kiln_json_key(json, key);
  kiln_json_array(json);
  kiln_json_double(json, values[0]);
  kiln_json_double(json, values[1]);
  kiln_json_array_end(json);
}

static void
write_conditions(struct kiln_json *json, const char *key, const struct kiln_conditions *conditions)
{
  kiln_json_key(json, key);
  kiln_json_object(json);
  write_known(json, "load_1m", conditions->load_1m);
  write_known(json, "cpu_pressure", conditions->cpu_pressure);
  write_known(json, "io_pressure", conditions->io_pressure);
  write_known(json, "memory_pressure", conditions->memory_pressure);
  write_known(json, "steal", conditions->steal);
  kiln_json_object_end(json);
}

/* Relative changes, 0.056 for +5.6 %; null without a look. */
static void
write_effect(struct kiln_json *json, const struct kiln_look *look)
{
  static const char *const keys[3] = {"effect", "lo", "hi"};
  const double values[3] = {look->estimate, look->low, look->high};
  for (int i = 0; i < 3; i++) {
    kiln_json_key(json, keys[i]);
    if (look->pairs)
      kiln_json_double(json, kiln_log_percent(values[i]) / 100);
    else
      kiln_json_null(json);
  }
}

static void
write_look(struct kiln_json *json, const struct kiln_look *look, const struct kiln_look_plan *plan)
{
  kiln_json_object(json);
  write_count(json, "pairs", look->pairs);
  write_count(json, "k_alpha", plan->k_alpha);
  write_count(json, "k_beta", plan->k_beta);
  write_double(json, "estimate", look->estimate);
  write_double(json, "low", look->low);
  write_double(json, "high", look->high);
  write_double(json, "inner_low", look->inner_low);
  write_double(json, "inner_high", look->inner_high);
  write_text(
      json, "decision", look->verdict == KILN_VERDICT_INCONCLUSIVE ? "CONTINUE" : kiln_verdict_name(look->verdict));
  kiln_json_object_end(json);
}

static void
write_metric(struct kiln_json *json, const struct kiln_time *time, enum kiln_metric metric)
{
  const struct kiln_timed_metric *of = &time->metrics[metric];
  const bool judged = of->look.pairs && (metric == time->metric || metric == KILN_METRIC_WARM_CPU);
  kiln_json_key(json, kiln_metric_name(metric));
  kiln_json_object(json);
  write_two(json, "median_s", of->median);
  write_two(json, "least_s", of->least);
  write_two(json, "most_s", of->most);
  write_effect(json, &of->look);
  write_text(json, "verdict",
      judged ? kiln_verdict_name(metric == time->metric ? time->sequence.verdict : of->look.verdict) : NULL);
  kiln_json_object_end(json);
}

static void
write_rule(struct kiln_json *json, const struct kiln_time *time)
{
  write_text(json, "rule", KILN_SEQUENTIAL_RULE);
  kiln_json_key(json, "constants");
  kiln_json_object(json);
  write_double(json, "p_alpha", KILN_SEQUENTIAL_P_ALPHA);
  write_double(json, "p_beta", KILN_SEQUENTIAL_P_BETA);
  write_double(json, "floor", KILN_SEQUENTIAL_FLOOR);
  write_double(json, "resolution", time->resolution);
  kiln_json_object_end(json);
}

static void
write_looks(struct kiln_json *json, const struct kiln_sequence *sequence)
{
  kiln_json_key(json, "looks");
  kiln_json_array(json);
  for (size_t i = 0; i < sequence->look_count; i++)
    write_look(json, &sequence->looks[i], &kiln_looks[i]);
  kiln_json_array_end(json);
}

void
kiln_time_json(struct kiln_json *json, const struct kiln_time_view *view)
{
  const struct kiln_time *time = view->time;
  char seed[24];
  kiln_json_object(json);
  write_text(json, "baseline", view->names[0]);
  write_text(json, "candidate", view->names[1]);
  write_rule(json, time);
  write_text(json, "verdict", kiln_verdict_name(time->sequence.verdict));
  write_text(json, "metric", kiln_metric_name(time->metric));
  write_effect(json, &time->metrics[time->metric].look);
  write_count(json, "pairs", time->pairs_used);
  write_count(json, "pairs_made", time->pairs_made);
  write_count(json, "pairs_wanted", time->pairs_wanted);
  write_text(json, "mode", view->serial ? "serial" : "side_by_side");
  snprintf(seed, sizeof seed, "0x%" PRIx64, view->seed); /* as text: a number would lose digits in most readers */
  write_text(json, "seed", seed);
  write_looks(json, &time->sequence);
  kiln_json_key(json, "metrics");
  kiln_json_object(json);
  for (int i = 0; i < KILN_METRIC_COUNT; i++)
    write_metric(json, time, (enum kiln_metric)i);
  kiln_json_object_end(json);
  write_two(json, "cold_minus_warm_cpu_s", time->difference[0]);
  write_two(json, "cold_minus_warm_elapsed_s", time->difference[1]);
  write_conditions(json, "conditions", &view->conditions);
  kiln_json_object_end(json);
}

static void
write_pair(struct kiln_json *json, const struct kiln_report *report, const struct kiln_report_pair *pair)
{
  const char *const names[2] = {report->arms[0].name, report->arms[pair->candidate].name};
  kiln_json_object(json);
  write_count(json, "index", (size_t)pair->index);
  write_text(json, "candidate", names[1]);
  write_text(json, "first", names[pair->candidate_first]);
  kiln_json_key(json, "valid");
  kiln_json_bool(json, pair->valid);
  write_text(json, "invalid_because", pair->invalid_because);
  write_conditions(json, "cold", &pair->cold);
  write_conditions(json, "warm", &pair->warm);
  kiln_json_object_end(json);
}

static void
write_verdict(struct kiln_json *json, const struct kiln_report *report, const struct kiln_report_verdict *verdict)
{
  struct kiln_time_view view;
  kiln_time_view_init(&view, report, verdict);
  kiln_json_object(json);
  write_text(json, "candidate", view.names[1]);
  write_text(json, "work", verdict->work);
  write_text(json, "decided_by", verdict->decided_by);
  write_text(json, "run", verdict->decided_by ? verdict->decided_warm ? "warm" : "cold" : NULL);
  kiln_json_key(json, "notes");
  kiln_json_array(json);
  for (size_t i = 0; i < verdict->note_count; i++)
    kiln_json_string(json, verdict->notes[i]);
  kiln_json_array_end(json);
  kiln_json_key(json, "time");
  kiln_time_json(json, &view);
  kiln_json_object_end(json);
}

void
kiln_report_json_verdicts(struct kiln_json *json, const struct kiln_report *report)
{
  struct kiln_time_view view;
  kiln_json_key(json, "time"); /* of the first candidate; one arm has no verdict on time */
  if (report->verdict_count) {
    kiln_time_view_init(&view, report, &report->verdicts[0]);
    kiln_time_json(json, &view);
  } else {
    kiln_json_null(json);
  }
  kiln_json_key(json, "verdicts");
  kiln_json_array(json);
  for (size_t i = 0; i < report->verdict_count; i++)
    write_verdict(json, report, &report->verdicts[i]);
  kiln_json_array_end(json);
  kiln_json_key(json, "pairs");
  kiln_json_array(json);
  for (size_t i = 0; i < report->pair_count; i++)
    write_pair(json, report, &report->pairs[i]);
  kiln_json_array_end(json);
  write_count(json, "max_pairs", (size_t)report->plan.max_pairs); /* 0: no arms */
  write_known(json, "max_time_s", report->plan.max_time_s > 0 ? report->plan.max_time_s : -1);
}
