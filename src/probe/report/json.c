#include <string.h>

#include "kiln/version.h"
#include "probe/report/json_parts.h"
#include "probe/report/render.h"
#include "probe/why.h"

void
kiln_report_json_where(struct kiln_json *json, struct kiln_where where)
{
  if (!where.file) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  kiln_json_member_text(json, "file", where.file);
  kiln_json_member_int(json, "line", where.line);
  kiln_json_object_end(json);
}

static void
write_environment(struct kiln_json *json, const struct kiln_report *report)
{
  const struct kiln_host *host = &report->host;
  kiln_json_member_object(json, "environment");
  kiln_json_member_filled(json, "cpu", host->cpu);
  kiln_json_member_int(json, "cores", host->cores);
  kiln_json_member_uint(json, "memory_bytes", host->memory_bytes);
  kiln_json_member_filled(json, "kernel", host->kernel);
  kiln_json_member_filled(json, "system", host->system);
  kiln_json_member_known(json, "load_1m", host->load_1m);
  kiln_json_member_filled(json, "python", report->python);
  kiln_json_member_filled(json, "framework", report->framework);
  kiln_json_object_end(json);
}

static void
write_head(struct kiln_json *json, const struct kiln_report *report)
{
  kiln_json_member_filled(json, "schema", KILN_REPORT_SCHEMA);
  kiln_json_member_filled(json, "kind", report->recorded ? "record" : "measurement");
  kiln_json_member_filled(json, "kiln_version", kiln_version());
  kiln_json_member_filled(json, "date", report->date);
  kiln_json_member_texts(json, "command", report->command, report->command_count);
  kiln_json_member_bool(json, "unfinished", report->unfinished);
  kiln_json_member_filled(json, "state", kiln_report_state_name(report->state));
  kiln_json_member_filled(json, "failure", report->failure);
  kiln_json_member_int(json, "samples_wanted", report->samples_wanted);
  kiln_json_member_int(json, "warmup", report->warmup);
  kiln_json_member_filled(json, "until", report->until);
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
  kiln_report_json_findings(&json, report);
  kiln_json_member_texts(&json, "warnings", report->warnings, report->warning_count);
  kiln_report_json_verdicts(&json, report);
  kiln_report_json_tables(&json, report);
  kiln_report_json_identities(&json, report);
  kiln_why_json(&json, report->why);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}
