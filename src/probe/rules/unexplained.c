#include "probe/rules/churn.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

/* Several identities of one module, and no hash table that tells why: said, never guessed. */
static void
report_one(struct kiln_report *report, const struct kiln_churn *churn)
{
  struct kiln_finding *finding = kiln_finding_add(report, "unexplained");
  kiln_finding_sentence(report, finding,
      "module `%s` was used under %zu identities by process %d, and the record does not show what changed between "
      "them.",
      churn->module ? churn->module : "?", churn->identities, churn->pid);
  for (size_t i = 0; i < churn->sequence_count && i < 8; i++)
    kiln_finding_evidence(report, finding, "identity %.7s", churn->sequence[i]);
  if (finding)
    finding->saves_at_most_s = churn->saves_at_most_s;
}

static void
run(struct kiln_report *report)
{
  if (kiln_facts_sample_count(report) == 0)
    return;
  const struct kiln_model *model = kiln_facts_sample(report, 0)->cold.model;
  if (!model)
    return;
  struct kiln_churns churns;
  kiln_churns_find(&churns, model);
  for (size_t i = 0; i < churns.count; i++)
    if (churns.items[i].cause_count == 0)
      report_one(report, &churns.items[i]);
  kiln_churns_release(&churns);
}

const struct kiln_rule kiln_rule_unexplained = {
    .id = "unexplained", .title = "identities that changed for an unknown reason", .run = run, .remark = true};
