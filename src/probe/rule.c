#include "probe/rule.h"

#include "base/buf.h"
#include "registry/probe.h"

struct kiln_finding *
kiln_finding_add(struct kiln_report *report, const char *id)
{
  if (!KILN_GROW(report->findings, report->finding_count, report->finding_capacity))
    return NULL;
  const char *copy = kiln_arena_strdup(&report->arena, id);
  if (!copy)
    return NULL;
  const struct kiln_report_arm *arm = report->rules_arm ? report->rules_arm : report->arms;
  struct kiln_finding *finding = &report->findings[report->finding_count++];
  *finding = (struct kiln_finding){.id = copy, .arm = arm ? arm->name : NULL, .sentence = "", .saves_at_most_s = -1};
  return finding;
}

/* Format into the report's arena; NULL when memory is short. */
static const char *format_text(struct kiln_report *report, const char *format, va_list args) KILN_PRINTF(2, 0);

static const char *
format_text(struct kiln_report *report, const char *format, va_list args)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_vprintf(&text, format, args);
  const char *copy = text.failed ? NULL : kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return copy;
}

void
kiln_finding_sentence(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
{
  if (!finding)
    return;
  va_list args;
  va_start(args, format);
  const char *text = format_text(report, format, args);
  va_end(args);
  finding->sentence = text ? text : finding->sentence;
}

void
kiln_finding_remedy(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
{
  if (!finding)
    return;
  va_list args;
  va_start(args, format);
  finding->remedy = format_text(report, format, args);
  va_end(args);
}

void
kiln_finding_evidence(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
{
  if (!finding)
    return;
  va_list args;
  va_start(args, format);
  const char *text = format_text(report, format, args);
  va_end(args);
  if (text && KILN_GROW(finding->evidence, finding->evidence_count, finding->evidence_capacity))
    finding->evidence[finding->evidence_count++] = text;
}

void
kiln_finding_where(struct kiln_report *report, struct kiln_finding *finding, struct kiln_where where)
{
  if (!finding || !where.file)
    return;
  where.file = kiln_arena_strdup(&report->arena, where.file);
  if (where.file && KILN_GROW(finding->where, finding->where_count, finding->where_capacity))
    finding->where[finding->where_count++] = where;
}

void
kiln_rules_run(struct kiln_report *report)
{
  for (size_t arm = 0; arm < report->arm_count; arm++) {
    report->rules_arm = &report->arms[arm];
    for (size_t i = 0; i < kiln_registered_rule_count; i++)
      kiln_registered_rules[i]->run(report);
  }
  report->rules_arm = NULL;
}
