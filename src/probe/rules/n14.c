#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

static size_t
count_failed(const struct kiln_model *model)
{
  size_t failed = 0;
  for (size_t i = 0; model && i < model->build_count; i++)
    failed += model->builds[i].result == KILN_BUILD_FAILED;
  return failed;
}

static bool
went_well(const struct kiln_report_run *run)
{
  return run->result.end == KILN_RUN_READY ||
         (run->result.end == KILN_RUN_ENDED && run->result.exit_code == 0 && run->result.signal == 0);
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, const char *which)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-14");
  const struct kiln_model *model = run->model;
  const size_t failed = count_failed(model);
  const int version = kiln_facts_warp(model);
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "%zu build%s failed in the %s run, and the program ended as if nothing had happened.", failed,
      failed == 1 ? "" : "s", which);
  for (size_t i = 0; i < model->build_count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->result != KILN_BUILD_FAILED)
      continue;
    kiln_finding_evidence(report, finding, "building module `%s` for %s failed", build->module ? build->module : "?",
        build->device ? build->device : "?");
    kiln_finding_event(report, finding, run, "compile", build->pid, build->tid, build->start_ns, build->wall_ns,
        build->module, build->where);
    kiln_finding_where(report, finding, build->where);
    shown++;
  }
  kiln_finding_remedy(report, finding,
      "Let the failure end the program, or say there which kernel is missing; a cache that holds the module from "
      "another "
      "run hides it.");
  if (version && version <= KILN_WARP_CPU_RACE)
    kiln_finding_gate(report, finding, "until Warp 1.16 loading with several workers swallows errors");
}

static void
run(struct kiln_report *report)
{
  bool seen = false;
  size_t failed = 0;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    const struct kiln_report_run *const runs[] = {&sample->cold, &sample->warm};
    for (int j = 0; j < 2; j++) {
      seen = seen || runs[j]->model;
      failed += count_failed(runs[j]->model);
      if (count_failed(runs[j]->model) && went_well(runs[j])) {
        fire(report, runs[j], report->recorded ? "recorded" : j ? "warm" : "cold");
        return;
      }
    }
  }
  if (seen && failed)
    kiln_finding_ruled_out(report, "N-14", "%zu builds failed, and the program said so by its exit.", failed);
  else if (seen)
    kiln_finding_ruled_out(report, "N-14", "no build failed.");
}

const struct kiln_rule kiln_rule_n14 = {.id = "N-14",
    .title = "a failed build that nobody heard of",
    .run = run,
    .not_when = "The program tries a kernel and has another way when it fails.",
    .confirm = "Measure again: no build fails, or the command ends with an error.",
    .correctness = true};
