#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/churn.h"
#include "probe/rules/facts.h"

#define MOST_EVIDENCE 20
#define MOST_IDENTITIES 8

static void
append_place(struct kiln_buf *out, const char *preposition, struct kiln_where where)
{
  if (where.file)
    kiln_buf_printf(out, " %s %s:%d", preposition, kiln_text_base_name(where.file), where.line);
}

static void
overload_text(const struct kiln_cause *cause, struct kiln_buf *out)
{
  kiln_buf_printf(out, "overload `%s`", cause->name);
  if (cause->where.file) {
    kiln_buf_text_append(out, " of the kernel declared");
    append_place(out, "at", cause->where);
  }
  if (cause->kind == KILN_CAUSE_CHANGED)
    kiln_buf_text_append(out, " was made again with other code");
  else
    kiln_buf_text_append(out, " was first asked for");
  append_place(out, "at", cause->trigger);
}

static void
kernel_text(const struct kiln_cause *cause, struct kiln_buf *out)
{
  kiln_buf_printf(out, "kernel `%s` was ", cause->name);
  if (cause->kind == KILN_CAUSE_CHANGED)
    kiln_buf_text_append(out, cause->where.file ? "declared with other code" : "changed");
  else
    kiln_buf_text_append(out, cause->where.file ? "declared" : "added");
  append_place(out, "at", cause->where);
}

static void
option_text(const struct kiln_cause *cause, struct kiln_buf *out)
{
  kiln_buf_printf(out, "option `%s` was changed from %s to %s", cause->name, cause->before ? cause->before : "unset",
      cause->after ? cause->after : "unset");
  append_place(out, "at", cause->where);
}

void
kiln_cause_text(const struct kiln_cause *cause, struct kiln_buf *out)
{
  if (cause->kind == KILN_CAUSE_REMOVED) {
    kiln_buf_printf(out, "%s `%s` no longer existed", cause->overload ? "overload" : "kernel", cause->name);
    return;
  }
  if (cause->kind == KILN_CAUSE_OPTION)
    option_text(cause, out);
  else if (cause->overload)
    overload_text(cause, out);
  else
    kernel_text(cause, out);
  /* Without an event that says so, the step itself still proves that an earlier identity was in use. */
  kiln_buf_text_append(
      out, cause->after_load ? " after the module was first loaded" : " after the module was first used");
}

static void
add_sequence(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_churn *churn)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  const size_t shown = churn->sequence_count < MOST_IDENTITIES ? churn->sequence_count : MOST_IDENTITIES;
  for (size_t i = 0; i < shown; i++)
    kiln_buf_printf(&text, "%s%.7s", i ? ", " : "", churn->sequence[i]);
  if (churn->sequence_count > shown)
    kiln_buf_printf(&text, " and %zu more", churn->sequence_count - shown);
  kiln_finding_evidence(report, finding, "process %d used the identities %s in this order: %zu distinct, %zu built",
      churn->pid, kiln_buf_text(&text), churn->identities, churn->builds);
  kiln_buf_release(&text);
}

static void
add_causes(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_churn *churn,
    kiln_cause_filter *filter, const struct kiln_report_run *run)
{
  size_t shown = 0, left = 0;
  for (size_t i = 0; i < churn->cause_count; i++) {
    const struct kiln_cause *cause = &churn->causes[i];
    if (!filter(cause))
      continue;
    if (shown++ >= MOST_EVIDENCE) {
      left++;
      continue;
    }
    struct kiln_buf text;
    kiln_buf_init(&text);
    kiln_cause_text(cause, &text);
    kiln_finding_evidence(report, finding, "%.7s → %.7s: %s", cause->from, cause->to, kiln_buf_text(&text));
    kiln_buf_release(&text);
    if (cause->event)
      kiln_finding_event(
          report, finding, run, cause->event, cause->pid, 0, cause->t_ns, UINT64_MAX, cause->name, cause->where);
    kiln_finding_where(report, finding, cause->trigger);
    kiln_finding_where(report, finding, cause->where);
  }
  if (left)
    kiln_finding_evidence(report, finding, "and %zu more changes of this kind", left);
}

/* The builds that were not needed, with the launches that asked for them. */
static void
add_builds(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_churn *churn,
    const struct kiln_report_run *run)
{
  size_t shown = 0;
  for (size_t i = 0; i < run->model->build_count && shown < MOST_IDENTITIES; i++) {
    const struct kiln_model_build *build = &run->model->builds[i];
    if (build->pid != churn->pid || build->result != KILN_BUILD_COMPILED || build->block_dim != churn->block_dim ||
        !kiln_text_equal(build->module, churn->module) || kiln_text_equal(build->identity, churn->sequence[0]) ||
        kiln_order_device_kind(build->device, churn->device) != 0)
      continue;
    kiln_finding_build(report, finding, run, build);
    kiln_finding_where(report, finding, build->where);
    shown++;
  }
}

static void
add_sentence(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_churn *churn,
    const struct kiln_cause *cause, size_t causes)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_cause_text(cause, &text);
  if (causes > 1)
    kiln_buf_printf(&text, ", and because of %zu more change%s like this", causes - 1, causes > 2 ? "s" : "");
  if (churn->builds > 1)
    kiln_finding_sentence(report, finding, "module `%s` was built %zu times: the module was rebuilt because %s.",
        churn->module ? churn->module : "?", churn->builds, kiln_buf_text(&text));
  else
    kiln_finding_sentence(report, finding, "module `%s` was loaded under %zu identities: it changed because %s.",
        churn->module ? churn->module : "?", churn->identities, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* Identities of the same module in the model of another sample. */
static size_t
identities_in(const struct kiln_model *model, const struct kiln_churn *churn)
{
  struct kiln_churns others;
  kiln_churns_find(&others, model);
  size_t identities = 1;
  for (size_t i = 0; i < others.count; i++) {
    const struct kiln_churn *other = &others.items[i];
    if (kiln_text_equal(other->module, churn->module) && kiln_text_equal(other->framework, churn->framework) &&
        other->block_dim == churn->block_dim && kiln_order_device_kind(other->device, churn->device) == 0)
      identities = other->identities;
  }
  kiln_churns_release(&others);
  return identities;
}

static void
add_other_samples(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_churn *churn,
    const struct kiln_report_sample *seen)
{
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    if (sample == seen || !sample->cold.model)
      continue;
    const size_t identities = identities_in(sample->cold.model, churn);
    if (identities != churn->identities)
      kiln_finding_evidence(report, finding, "sample %d differs: it used %zu %s of this module", sample->index,
          identities, identities == 1 ? "identity" : "identities");
  }
}

static bool
report_one(struct kiln_report *report, const struct kiln_churn_rule *rule, const struct kiln_churn *churn,
    const struct kiln_report_sample *sample)
{
  const struct kiln_cause *first = NULL;
  size_t causes = 0;
  for (size_t i = 0; i < churn->cause_count; i++) {
    if (!rule->filter(&churn->causes[i]))
      continue;
    first = first ? first : &churn->causes[i];
    causes++;
  }
  if (!first)
    return false;
  struct kiln_finding *finding = kiln_finding_add(report, rule->id);
  if (!finding)
    return false;
  add_sentence(report, finding, churn, first, causes);
  add_sequence(report, finding, churn);
  add_causes(report, finding, churn, rule->filter, &sample->cold);
  if (churn->sequence_count)
    add_builds(report, finding, churn, &sample->cold);
  if (churn->processes > 1)
    kiln_finding_evidence(report, finding, "the same module had several identities in %zu processes", churn->processes);
  add_other_samples(report, finding, churn, sample);
  for (size_t i = 0; rule->remedies[i]; i++)
    kiln_finding_remedy(report, finding, "%s", rule->remedies[i]);
  if (rule->gate && kiln_facts_warp(sample->cold.model) && kiln_facts_warp(sample->cold.model) <= KILN_WARP_CPU_RACE)
    kiln_finding_gate(report, finding, "%s", rule->gate);
  finding->saves_at_most_s = churn->saves_at_most_s;
  return true;
}

/* Does every identity that follows another one have its hash table? Only then "no such change" is known. */
static bool
all_explained(const struct kiln_churns *churns)
{
  for (size_t i = 0; i < churns->count; i++)
    if (churns->items[i].cause_count == 0)
      return false;
  return true;
}

static void
report_nothing(struct kiln_report *report, const struct kiln_churn_rule *rule, size_t churned, bool explained)
{
  if (!explained)
    kiln_finding_not_reached(report, rule->id, "a record with the `hash` events of every identity",
        "a module has several identities, and the record does not show what changed between them.");
  else if (churned)
    kiln_finding_ruled_out(report, rule->id,
        "%zu module%s had several identities in one process, and none of them moved because %s.", churned,
        churned == 1 ? "" : "s", rule->change);
  else
    kiln_finding_ruled_out(report, rule->id, "no process used a module under more than one identity.");
}

void
kiln_churn_report(struct kiln_report *report, const struct kiln_churn_rule *rule)
{
  bool fired = false, explained = true, seen = false;
  size_t churned = 0;
  /* A later sample is asked only when the earlier ones show nothing. */
  for (size_t i = 0; !fired && i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    if (!sample->cold.model)
      continue;
    struct kiln_churns churns;
    kiln_churns_find(&churns, sample->cold.model);
    for (size_t j = 0; j < churns.count; j++)
      fired = report_one(report, rule, &churns.items[j], sample) || fired;
    seen = true;
    explained = explained && all_explained(&churns);
    churned = churns.count > churned ? churns.count : churned;
    kiln_churns_release(&churns);
  }
  if (seen && !fired)
    report_nothing(report, rule, churned, explained);
}
