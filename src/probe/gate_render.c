/* A judged gate as lines, as JSON and as JUnit's XML. */
#include <string.h>

#include "base/json_write.h"
#include "kiln/version.h"
#include "probe/gate.h"
#include "probe/measure.h"
#include "probe/report/json_parts.h"
#include "probe/report/page.h"

static const enum kiln_gate_state order[] = {KILN_GATE_BROKEN, KILN_GATE_OPEN, KILN_GATE_KEPT};

/* ---- lines ---- */

static void
write_rule(const struct kiln_gate_rule *rule, bool color, struct kiln_buf *out)
{
  static const char *const words[] = {"kept  ", "BROKEN", "open  "};
  static const char *const colors[] = {"\033[32m", "\033[1;31m", "\033[1;33m"};
  kiln_buf_printf(
      out, "%s%s%s  %s: ", color ? colors[rule->state] : "", words[rule->state], color ? "\033[0m" : "", rule->text);
  kiln_page_clean(out, rule->sentence);
  kiln_buf_text_append(out, "\n");
}

static void
write_total(const struct kiln_gate *gate, struct kiln_buf *out)
{
  const size_t broken = kiln_gate_count(gate, KILN_GATE_BROKEN), open = kiln_gate_count(gate, KILN_GATE_OPEN);
  if (!broken && !open)
    kiln_buf_printf(out, gate->count == 1 ? "The rule is kept.\n" : "All %zu rules are kept.\n", gate->count);
  if (broken)
    kiln_buf_printf(out, "%zu of %zu rule%s %s broken.\n", broken, gate->count, gate->count == 1 ? "" : "s",
        broken == 1 ? "is" : "are");
  if (open)
    kiln_buf_printf(out, "%zu of %zu rule%s %s open: it could not be told.\n", open, gate->count,
        gate->count == 1 ? "" : "s", open == 1 ? "is" : "are");
}

void
kiln_gate_text(const struct kiln_gate *gate, bool color, struct kiln_buf *out)
{
  if (!gate->judged) {
    kiln_buf_text_append(out, "The rules were not judged, since the measurement is not whole: ");
    kiln_page_clean(out, gate->refusal);
    kiln_buf_text_append(out, "\n");
    return;
  }
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (size_t i = 0; i < gate->count; i++)
      if (gate->rules[i].state == order[k])
        write_rule(&gate->rules[i], color, out);
  write_total(gate, out);
}

/* ---- JSON ---- */

static const char *
verdict_name(const struct kiln_gate *gate)
{
  if (!gate->judged)
    return "not_judged";
  return kiln_gate_count(gate, KILN_GATE_BROKEN) ? "broken" : kiln_gate_count(gate, KILN_GATE_OPEN) ? "open" : "kept";
}

static void
write_rules(struct kiln_json *json, const struct kiln_gate *gate)
{
  kiln_json_member_array(json, "rules");
  for (size_t i = 0; i < gate->count; i++) {
    const struct kiln_gate_rule *rule = &gate->rules[i];
    kiln_json_object(json);
    kiln_json_member_text(json, "rule", kiln_gate_kind_name(rule->kind));
    kiln_json_member_text(json, "text", rule->text);
    kiln_json_member_int(json, "line", rule->line);
    kiln_json_member_text(json, "state", gate->judged ? kiln_gate_state_name(rule->state) : NULL);
    kiln_json_member_text(json, "sentence", rule->sentence);
    kiln_json_member_array(json, "where");
    for (size_t j = 0; j < rule->where_count; j++)
      kiln_report_json_where(json, rule->where[j]);
    kiln_json_array_end(json);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
}

void
kiln_gate_json(const struct kiln_gate *gate, const struct kiln_report *report, struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_member_text(&json, "schema", KILN_GATE_SCHEMA);
  kiln_json_member_text(&json, "kiln_version", kiln_version());
  kiln_json_member_text(&json, "verdict", verdict_name(gate));
  kiln_json_member_int(&json, "exit_code", kiln_gate_exit(gate, report));
  kiln_json_member_text(&json, "state", kiln_report_state_name(report->state));
  kiln_json_member_text(&json, "refusal", gate->refusal);
  kiln_json_member_text(&json, "date", report->date);
  kiln_json_member_texts(&json, "command", report->command, report->command_count);
  kiln_json_member_text(&json, "framework", report->framework);
  kiln_json_member_text(&json, "rules_file", gate->file);
  write_rules(&json, gate);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

/* ---- JUnit ---- */

/* Text for an attribute or an element; what XML cannot hold was made harmless by kiln_page_clean. */
static void
xml(struct kiln_buf *out, const char *text)
{
  struct kiln_buf clean;
  kiln_buf_init(&clean);
  kiln_page_clean(&clean, text);
  for (const char *at = kiln_buf_text(&clean); *at; at++) {
    const char *special = "&<>\"'", *found = strchr(special, *at);
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    if (found)
      kiln_buf_text_append(out, entities[found - special]);
    else
      kiln_buf_append(out, at, 1);
  }
  out->failed = out->failed || clean.failed;
  kiln_buf_release(&clean);
}

static void
property(struct kiln_buf *out, const char *name, const char *value)
{
  kiln_buf_printf(out, "      <property name=\"%s\" value=\"", name);
  xml(out, value);
  kiln_buf_text_append(out, "\"/>\n");
}

static void
write_case(struct kiln_buf *out, const struct kiln_gate *gate, const struct kiln_gate_rule *rule)
{
  const char *element = gate->judged && rule->state == KILN_GATE_BROKEN ? "failure" : "error";
  const char *message = gate->judged ? rule->sentence : gate->refusal;
  kiln_buf_text_append(out, "    <testcase classname=\"kiln.gate\" name=\"");
  xml(out, rule->text);
  if (gate->judged && rule->state == KILN_GATE_KEPT) {
    kiln_buf_text_append(out, "\"/>\n");
    return;
  }
  kiln_buf_printf(out, "\">\n      <%s message=\"", element);
  xml(out, message);
  kiln_buf_text_append(out, "\">");
  for (size_t i = 0; i < rule->where_count; i++) {
    kiln_buf_text_append(out, "\n");
    xml(out, rule->where[i].file);
    kiln_buf_printf(out, ":%d", rule->where[i].line);
  }
  kiln_buf_printf(out, "</%s>\n    </testcase>\n", element);
}

void
kiln_gate_junit(const struct kiln_gate *gate, const struct kiln_report *report, struct kiln_buf *out)
{
  const size_t failures = gate->judged ? kiln_gate_count(gate, KILN_GATE_BROKEN) : 0;
  const size_t errors = gate->judged ? kiln_gate_count(gate, KILN_GATE_OPEN) : gate->count;
  struct kiln_buf command;
  kiln_buf_init(&command);
  for (size_t i = 0; i < report->command_count; i++)
    kiln_buf_printf(&command, "%s%s", i ? " " : "", report->command[i]);
  kiln_buf_printf(out,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"kiln gate\" "
      "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\" timestamp=\"",
      gate->count, failures, errors);
  xml(out, report->date);
  kiln_buf_text_append(out, "\">\n    <properties>\n");
  property(out, "command", kiln_buf_text(&command));
  property(out, "framework", report->framework);
  property(out, "kiln", kiln_version());
  kiln_buf_text_append(out, "    </properties>\n");
  for (size_t i = 0; i < gate->count; i++)
    write_case(out, gate, &gate->rules[i]);
  kiln_buf_text_append(out, "  </testsuite>\n</testsuites>\n");
  out->failed = out->failed || command.failed;
  kiln_buf_release(&command);
}
