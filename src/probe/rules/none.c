#include "probe/rules/facts.h"
#include "probe/rules/list.h"

static bool
did_nothing(const struct kiln_model *model)
{
  return model->build_count == 0 && model->load_count == 0 && model->counts.launches == 0;
}

static void
add_processes(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_model *model)
{
  size_t python = 0, frameworks = 0;
  for (size_t i = 0; i < model->process_count; i++) {
    python += model->processes[i].python != NULL;
    frameworks += model->processes[i].framework_version != NULL;
  }
  if (frameworks == 0) {
    if (python == 0)
      kiln_finding_evidence(report, finding, "no Python process was seen");
    else
      kiln_finding_evidence(report, finding,
          "%zu Python process%s seen, and none imported a framework that is observed", python,
          python == 1 ? " was" : "es were");
    kiln_finding_remedy(report, finding,
        "If the command does compile kernels, it does so where nothing is observed: in another framework, or in a "
        "process that drops LD_PRELOAD.");
  }
  for (size_t i = 0; i < model->process_count; i++)
    if (model->processes[i].framework_version)
      kiln_finding_evidence(report, finding, "process %d imported %s, but built, loaded and launched nothing",
          model->processes[i].pid, model->processes[i].framework_version);
}

static void
run(struct kiln_report *report)
{
  size_t runs = 0;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_model *model = kiln_facts_sample(report, i)->cold.model;
    if (model && !did_nothing(model))
      return;
    runs += model != NULL;
  }
  if (runs == 0)
    return;
  size_t first = 0;
  while (!kiln_facts_sample(report, first)->cold.model)
    first++;
  struct kiln_finding *finding = kiln_finding_add(report, "none");
  kiln_finding_sentence(
      report, finding, "no kernel was built or launched: the command did no work that a cache could save.");
  add_processes(report, finding, kiln_facts_sample(report, first)->cold.model);
}

const struct kiln_rule kiln_rule_none = {
    .id = "none", .title = "no kernel was built or launched", .run = run, .remark = true};
