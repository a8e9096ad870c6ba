#include "probe/rule.h"

#include "base/buf.h"
#include "base/text.h"
#include "registry/probe.h"

const struct kiln_rule *
kiln_rule_named(const char *id)
{
  for (size_t i = 0; i < kiln_registered_rule_count; i++)
    if (kiln_text_equal(kiln_registered_rules[i]->id, id))
      return kiln_registered_rules[i];
  return NULL;
}

static struct kiln_finding
make(struct kiln_report *report, const char *id, enum kiln_finding_state state)
{
  const struct kiln_report_arm *arm = report->rules_arm ? report->rules_arm : report->arms;
  return (struct kiln_finding){.id = kiln_arena_strdup(&report->arena, id),
      .arm = arm ? arm->name : NULL,
      .state = state,
      .sentence = "",
      .saves_at_most_s = -1};
}

struct kiln_finding *
kiln_finding_add(struct kiln_report *report, const char *id)
{
  struct kiln_finding finding = make(report, id, KILN_FINDING_FIRED);
  if (!finding.id || !KILN_GROW(report->findings, report->finding_count, report->finding_capacity))
    return NULL;
  const struct kiln_rule *rule = kiln_rule_named(id);
  if (rule) {
    finding.not_when = kiln_arena_strdup(&report->arena, rule->not_when);
    finding.confirm = kiln_arena_strdup(&report->arena, rule->confirm);
    finding.deadline = kiln_arena_strdup(&report->arena, rule->deadline);
    finding.correctness = rule->correctness;
  }
  report->findings[report->finding_count] = finding;
  return &report->findings[report->finding_count++];
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
  const char *text = format_text(report, format, args);
  va_end(args);
  if (!finding->remedy)
    finding->remedy = text;
  else if (text && KILN_GROW(finding->otherwise, finding->otherwise_count, finding->otherwise_capacity))
    finding->otherwise[finding->otherwise_count++] = text;
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
kiln_finding_gate(struct kiln_report *report, struct kiln_finding *finding, const char *format, ...)
{
  if (!finding)
    return;
  va_list args;
  va_start(args, format);
  finding->gate = format_text(report, format, args);
  va_end(args);
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
kiln_finding_cite(struct kiln_report *report, struct kiln_finding *finding, struct kiln_cited event)
{
  if (!finding || !finding->evidence_count || !KILN_GROW(finding->cited, finding->cited_count, finding->cited_capacity))
    return;
  event.evidence = finding->evidence_count - 1;
  event.kind = kiln_arena_strdup(&report->arena, event.kind);
  event.what = kiln_arena_strdup(&report->arena, event.what);
  event.identity = kiln_arena_strdup(&report->arena, event.identity);
  event.where.file = kiln_arena_strdup(&report->arena, event.where.file);
  finding->cited[finding->cited_count++] = event;
}

static struct kiln_finding *
add_other(struct kiln_report *report, struct kiln_finding finding)
{
  if (!finding.id || !KILN_GROW(report->others, report->other_count, report->other_capacity))
    return NULL;
  report->others[report->other_count] = finding;
  return &report->others[report->other_count++];
}

struct kiln_finding *
kiln_finding_ruled_out(struct kiln_report *report, const char *id, const char *format, ...)
{
  struct kiln_finding finding = make(report, id, KILN_FINDING_RULED_OUT);
  va_list args;
  va_start(args, format);
  const char *text = format_text(report, format, args);
  va_end(args);
  finding.sentence = text ? text : finding.sentence;
  return add_other(report, finding);
}

struct kiln_finding *
kiln_finding_not_reached(struct kiln_report *report, const char *id, const char *to_measure, const char *format, ...)
{
  struct kiln_finding finding = make(report, id, KILN_FINDING_NOT_REACHED);
  va_list args;
  va_start(args, format);
  const char *text = format_text(report, format, args);
  va_end(args);
  finding.sentence = text ? text : finding.sentence;
  finding.to_measure = kiln_arena_strdup(&report->arena, to_measure);
  return add_other(report, finding);
}

/* No model, nothing to look at: an arm that was stopped before its first run, or a rule that is silent. */
static void
run_one(struct kiln_report *report, const struct kiln_rule *rule)
{
  const size_t fired = report->finding_count, others = report->other_count;
  rule->run(report);
  if (!rule->remark && report->finding_count == fired && report->other_count == others)
    kiln_finding_not_reached(report, rule->id, "a run that ends well", "no run of the command could be looked at.");
}

void
kiln_rules_run(struct kiln_report *report)
{
  for (size_t arm = 0; arm < report->arm_count; arm++) {
    report->rules_arm = &report->arms[arm];
    for (size_t i = 0; i < kiln_registered_rule_count; i++)
      run_one(report, kiln_registered_rules[i]);
  }
  report->rules_arm = NULL;
}
