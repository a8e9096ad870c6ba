#include <string.h>

#include "kiln/version.h"
#include "probe/report/json_parts.h"
#include "probe/report/render.h"

void
kiln_report_json_where(struct kiln_json *json, struct kiln_where where)
{
  if (!where.file) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  kiln_json_key(json, "file");
  kiln_json_string(json, where.file);
  kiln_json_key(json, "line");
  kiln_json_int(json, where.line);
  kiln_json_object_end(json);
}

static void
write_member(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_key(json, key);
  kiln_json_string(json, text && text[0] ? text : NULL);
}

static void
write_environment(struct kiln_json *json, const struct kiln_report *report)
{
  const struct kiln_host *host = &report->host;
  kiln_json_key(json, "environment");
  kiln_json_object(json);
  write_member(json, "cpu", host->cpu);
  kiln_json_key(json, "cores");
  kiln_json_int(json, host->cores);
  kiln_json_key(json, "memory_bytes");
  kiln_json_uint(json, host->memory_bytes);
  write_member(json, "kernel", host->kernel);
  write_member(json, "system", host->system);
  kiln_json_key(json, "load_1m");
  if (host->load_1m < 0)
    kiln_json_null(json);
  else
    kiln_json_double(json, host->load_1m);
  write_member(json, "python", report->python);
  write_member(json, "framework", report->framework);
  kiln_json_object_end(json);
}

static void
write_finding(struct kiln_json *json, const struct kiln_finding *finding)
{
  kiln_json_object(json);
  write_member(json, "id", finding->id);
  write_member(json, "arm", finding->arm);
  /* The other states, "ruled out" and "not reached", come with `diagnose`. */
  write_member(json, "state", "fired");
  write_member(json, "sentence", finding->sentence);
  kiln_json_key(json, "evidence");
  kiln_json_array(json);
  for (size_t i = 0; i < finding->evidence_count; i++)
    kiln_json_string(json, finding->evidence[i]);
  kiln_json_array_end(json);
  kiln_json_key(json, "where");
  kiln_json_array(json);
  for (size_t i = 0; i < finding->where_count; i++)
    kiln_report_json_where(json, finding->where[i]);
  kiln_json_array_end(json);
  kiln_json_key(json, "saves_at_most_s");
  if (finding->saves_at_most_s < 0)
    kiln_json_null(json);
  else
    kiln_json_double(json, finding->saves_at_most_s);
  write_member(json, "remedy", finding->remedy);
  kiln_json_object_end(json);
}

static void
write_texts(struct kiln_json *json, const char *key, const char **texts, size_t count)
{
  kiln_json_key(json, key);
  kiln_json_array(json);
  for (size_t i = 0; i < count; i++)
    kiln_json_string(json, texts[i]);
  kiln_json_array_end(json);
}

static void
write_head(struct kiln_json *json, const struct kiln_report *report)
{
  write_member(json, "schema", KILN_REPORT_SCHEMA);
  write_member(json, "kind", report->recorded ? "record" : "measurement");
  write_member(json, "kiln_version", kiln_version());
  write_member(json, "date", report->date);
  write_texts(json, "command", report->command, report->command_count);
  write_member(json, "state", kiln_report_state_name(report->state));
  write_member(json, "failure", report->failure);
  kiln_json_key(json, "samples_wanted");
  kiln_json_int(json, report->samples_wanted);
  kiln_json_key(json, "warmup");
  kiln_json_int(json, report->warmup);
  write_member(json, "until", report->until);
  write_environment(json, report);
}

void
kiln_report_json(const struct kiln_report *report, struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  write_head(&json, report);
  kiln_report_json_arms(&json, report);
  kiln_json_key(&json, "findings");
  kiln_json_array(&json);
  for (size_t i = 0; i < report->finding_count; i++)
    write_finding(&json, &report->findings[i]);
  kiln_json_array_end(&json);
  write_texts(&json, "warnings", report->warnings, report->warning_count);
  kiln_report_json_verdicts(&json, report);
  kiln_report_json_tables(&json, report);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}
