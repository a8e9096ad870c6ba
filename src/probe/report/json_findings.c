/* Findings, mechanisms that did not fire, and the diagnosis of the whole. */
#include "probe/report/json_parts.h"

static void
write_cited(struct kiln_json *json, const struct kiln_cited *event)
{
  kiln_json_object(json);
  kiln_json_member_uint(json, "evidence", event->evidence);
  kiln_json_member_filled(json, "kind", event->kind);
  kiln_json_member_int(json, "pid", event->pid);
  kiln_json_member_int(json, "tid", event->tid);
  kiln_json_member_double(json, "start_s", event->start_s);
  kiln_json_member_known(json, "wall_s", event->wall_s);
  kiln_json_member_filled(json, "what", event->what);
  kiln_json_member_filled(json, "identity", event->identity);
  kiln_json_key(json, "where");
  kiln_report_json_where(json, event->where);
  kiln_json_object_end(json);
}

/* The best one again, then the others. */
static void
write_remedies(struct kiln_json *json, const struct kiln_finding *finding)
{
  kiln_json_member_filled(json, "remedy", finding->remedy);
  kiln_json_member_array(json, "remedies");
  if (finding->remedy)
    kiln_json_string(json, finding->remedy);
  for (size_t i = 0; i < finding->otherwise_count; i++)
    kiln_json_string(json, finding->otherwise[i]);
  kiln_json_array_end(json);
  kiln_json_member_filled(json, "not_when", finding->not_when);
  kiln_json_member_filled(json, "confirm", finding->confirm);
  kiln_json_member_filled(json, "deadline", finding->deadline);
  kiln_json_member_filled(json, "gate", finding->gate);
  kiln_json_member_filled(json, "to_measure", finding->to_measure);
}

static void
write_finding(struct kiln_json *json, const struct kiln_finding *finding)
{
  kiln_json_object(json);
  kiln_json_member_filled(json, "id", finding->id);
  kiln_json_member_filled(json, "arm", finding->arm);
  kiln_json_member_filled(json, "state", kiln_finding_state_name(finding->state));
  kiln_json_member_filled(json, "sentence", finding->sentence);
  kiln_json_member_texts(json, "evidence", (const char *const *)finding->evidence, finding->evidence_count);
  kiln_json_member_array(json, "events");
  for (size_t i = 0; i < finding->cited_count; i++)
    write_cited(json, &finding->cited[i]);
  kiln_json_array_end(json);
  kiln_json_member_array(json, "where");
  for (size_t i = 0; i < finding->where_count; i++)
    kiln_report_json_where(json, finding->where[i]);
  kiln_json_array_end(json);
  kiln_json_member_known(json, "saves_at_most_s", finding->saves_at_most_s);
  kiln_json_member_filled(json, "saves_of",
      finding->saves_at_most_s < 0 ? NULL
      : finding->saves_cpu         ? "cpu"
                                   : "elapsed");
  kiln_json_member_bool(json, "correctness", finding->correctness);
  write_remedies(json, finding);
  kiln_json_object_end(json);
}

static void
write_diagnosis(struct kiln_json *json, const struct kiln_diagnosis *diagnosis)
{
  if (!diagnosis->made) {
    kiln_json_key(json, "diagnosis");
    kiln_json_null(json);
    return;
  }
  kiln_json_member_object(json, "diagnosis");
  kiln_json_member_known(json, "compile_s", diagnosis->compile_s);
  kiln_json_member_known(json, "elapsed_s", diagnosis->elapsed_s);
  kiln_json_member_bool(json, "small", diagnosis->small);
  kiln_json_member_filled(json, "sentence", diagnosis->sentence);
  kiln_json_member_known(json, "floor_s", diagnosis->floor_s);
  kiln_json_member_known(json, "floor_cpu_s", diagnosis->floor_cpu_s);
  kiln_json_member_filled(json, "floor_note", diagnosis->floor_note);
  kiln_json_object_end(json);
}

void
kiln_report_json_findings(struct kiln_json *json, const struct kiln_report *report)
{
  const bool all = report->diagnosis.made;
  kiln_json_member_array(json, "findings");
  for (size_t i = 0; i < report->finding_count; i++)
    write_finding(json, &report->findings[i]);
  for (size_t i = 0; all && i < report->other_count; i++)
    write_finding(json, &report->others[i]);
  kiln_json_array_end(json);
  kiln_json_member_array(json, "not_fired");
  for (size_t i = 0; !all && i < report->other_count; i++)
    write_finding(json, &report->others[i]);
  kiln_json_array_end(json);
  write_diagnosis(json, &report->diagnosis);
}
