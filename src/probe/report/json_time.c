#include <inttypes.h>
#include <stdio.h>

#include "probe/report/json_parts.h"
#include "probe/report/time_parts.h"

static void
write_conditions(struct kiln_json *json, const char *key, const struct kiln_conditions *conditions)
{
  kiln_json_member_object(json, key);
  kiln_json_member_known(json, "load_1m", conditions->load_1m);
  kiln_json_member_known(json, "cpu_pressure", conditions->cpu_pressure);
  kiln_json_member_known(json, "io_pressure", conditions->io_pressure);
  kiln_json_member_known(json, "memory_pressure", conditions->memory_pressure);
  kiln_json_member_known(json, "steal", conditions->steal);
  kiln_json_object_end(json);
}

void
kiln_effect_json(struct kiln_json *json, const struct kiln_look *look)
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
  kiln_json_member_uint(json, "pairs", look->pairs);
  kiln_json_member_uint(json, "k_alpha", plan->k_alpha);
  kiln_json_member_uint(json, "k_beta", plan->k_beta);
  kiln_json_member_double(json, "estimate", look->estimate);
  kiln_json_member_double(json, "low", look->low);
  kiln_json_member_double(json, "high", look->high);
  kiln_json_member_double(json, "inner_low", look->inner_low);
  kiln_json_member_double(json, "inner_high", look->inner_high);
  kiln_json_member_text(
      json, "decision", look->verdict == KILN_VERDICT_INCONCLUSIVE ? "CONTINUE" : kiln_verdict_name(look->verdict));
  kiln_json_object_end(json);
}

static void
write_metric(struct kiln_json *json, const struct kiln_time *time, enum kiln_metric metric)
{
  const struct kiln_timed_metric *of = &time->metrics[metric];
  const bool judged = of->look.pairs && (metric == time->metric || metric == KILN_METRIC_WARM_CPU);
  kiln_json_member_object(json, kiln_metric_name(metric));
  kiln_json_member_doubles(json, "median_s", of->median, 2);
  kiln_json_member_doubles(json, "least_s", of->least, 2);
  kiln_json_member_doubles(json, "most_s", of->most, 2);
  kiln_effect_json(json, &of->look);
  kiln_json_member_text(json, "verdict",
      judged ? kiln_verdict_name(metric == time->metric ? time->sequence.verdict : of->look.verdict) : NULL);
  kiln_json_object_end(json);
}

static void
write_rule(struct kiln_json *json, const struct kiln_time *time)
{
  kiln_json_member_text(json, "rule", KILN_SEQUENTIAL_RULE);
  kiln_json_member_object(json, "constants");
  kiln_json_member_double(json, "p_alpha", KILN_SEQUENTIAL_P_ALPHA);
  kiln_json_member_double(json, "p_beta", KILN_SEQUENTIAL_P_BETA);
  kiln_json_member_double(json, "floor", KILN_SEQUENTIAL_FLOOR);
  kiln_json_member_double(json, "resolution", time->resolution);
  kiln_json_object_end(json);
}

static void
write_looks(struct kiln_json *json, const struct kiln_sequence *sequence)
{
  kiln_json_member_array(json, "looks");
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
  kiln_json_member_text(json, "baseline", view->names[0]);
  kiln_json_member_text(json, "candidate", view->names[1]);
  write_rule(json, time);
  kiln_json_member_text(json, "verdict", kiln_verdict_name(time->sequence.verdict));
  kiln_json_member_text(json, "metric", kiln_metric_name(time->metric));
  kiln_effect_json(json, &time->metrics[time->metric].look);
  kiln_json_member_uint(json, "pairs", time->pairs_used);
  kiln_json_member_uint(json, "pairs_made", time->pairs_made);
  kiln_json_member_uint(json, "pairs_wanted", time->pairs_wanted);
  kiln_json_member_text(json, "mode", view->serial ? "serial" : "side_by_side");
  snprintf(seed, sizeof seed, "0x%" PRIx64, view->seed); /* as text: a number would lose digits in most readers */
  kiln_json_member_text(json, "seed", seed);
  write_looks(json, &time->sequence);
  kiln_json_member_object(json, "metrics");
  for (int i = 0; i < KILN_METRIC_COUNT; i++)
    write_metric(json, time, (enum kiln_metric)i);
  kiln_json_object_end(json);
  kiln_json_member_doubles(json, "cold_minus_warm_cpu_s", time->difference[0], 2);
  kiln_json_member_doubles(json, "cold_minus_warm_elapsed_s", time->difference[1], 2);
  write_conditions(json, "conditions", &view->conditions);
  kiln_json_object_end(json);
}

static void
write_pair(struct kiln_json *json, const struct kiln_report *report, const struct kiln_report_pair *pair)
{
  const char *const names[2] = {report->arms[0].name, report->arms[pair->candidate].name};
  kiln_json_object(json);
  kiln_json_member_uint(json, "index", (size_t)pair->index);
  kiln_json_member_text(json, "candidate", names[1]);
  kiln_json_member_text(json, "first", names[pair->candidate_first]);
  kiln_json_member_bool(json, "valid", pair->valid);
  kiln_json_member_text(json, "invalid_because", pair->invalid_because);
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
  kiln_json_member_text(json, "candidate", view.names[1]);
  kiln_json_member_text(json, "work", verdict->work);
  kiln_json_member_text(json, "decided_by", verdict->decided_by);
  kiln_json_member_text(json, "run", verdict->decided_by ? verdict->decided_warm ? "warm" : "cold" : NULL);
  kiln_json_member_texts(json, "notes", verdict->notes, verdict->note_count);
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
  kiln_json_member_array(json, "verdicts");
  for (size_t i = 0; i < report->verdict_count; i++)
    write_verdict(json, report, &report->verdicts[i]);
  kiln_json_array_end(json);
  kiln_json_member_array(json, "pairs");
  for (size_t i = 0; i < report->pair_count; i++)
    write_pair(json, report, &report->pairs[i]);
  kiln_json_array_end(json);
  kiln_json_member_uint(json, "max_pairs", (size_t)report->plan.max_pairs); /* 0: no arms */
  kiln_json_member_known(json, "max_time_s", report->plan.max_time_s > 0 ? report->plan.max_time_s : -1);
}
