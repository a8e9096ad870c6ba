#include <string.h>

#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

static bool
is_cpu_load(const struct kiln_model_load *load)
{
  return kiln_text_equal(load->framework, "warp") && kiln_order_device_kind(load->device, "cpu") == 0;
}

/* Two threads of one process that load, or build and load, for the CPU at the same moment. */
static bool
overlap(const struct kiln_model *model, const struct kiln_model_load *a, const struct kiln_model_load *b)
{
  if (!is_cpu_load(a) || !is_cpu_load(b) || a->pid != b->pid || a->tid == b->tid)
    return false;
  if (a->start_ns < b->start_ns + b->wall_ns && b->start_ns < a->start_ns + a->wall_ns)
    return true;
  /* The native loader was not caught twice, but both threads were between the begin of a build and its load. */
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->pid == a->pid && build->tid == a->tid && kiln_text_equal(build->identity, a->identity) &&
        build->start_ns < b->start_ns && b->start_ns < a->start_ns)
      return true;
  }
  return false;
}

static const struct kiln_model_load *
find_overlap(const struct kiln_model *model, const struct kiln_model_load **other)
{
  for (size_t i = 0; i < model->load_count; i++)
    for (size_t j = 0; j < i; j++)
      if (overlap(model, &model->loads[i], &model->loads[j]) || overlap(model, &model->loads[j], &model->loads[i])) {
        *other = &model->loads[j];
        return &model->loads[i];
      }
  return NULL;
}

static void
add_load(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const struct kiln_model_load *load)
{
  kiln_finding_evidence(report, finding, "thread %d of process %d loaded module `%s` for the CPU", load->tid, load->pid,
      load->module ? load->module : "?");
  kiln_finding_event(
      report, finding, run, "load", load->pid, load->tid, load->start_ns, load->wall_ns, load->module, load->where);
  kiln_finding_where(report, finding, load->where);
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, const struct kiln_model_load *one,
    const struct kiln_model_load *other)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-8");
  const int version = kiln_facts_warp(run->model);
  kiln_finding_sentence(report, finding,
      "two threads loaded CPU modules at the same moment: Warp %d.%d does not guard that, and a kernel may be looked "
      "up "
      "in the wrong module (\"Failed to find module\").",
      version / 1000, version % 1000);
  add_load(report, finding, run, other);
  add_load(report, finding, run, one);
  kiln_finding_remedy(report, finding,
      "Load with one worker (`max_workers` 0 or 1) whenever a load may hit the CPU; `device=None` and mixed lists of "
      "devices do.");
  kiln_finding_remedy(report, finding, "Update to Warp 1.17 or later, which guards these loads.");
  kiln_finding_gate(report, finding, "Warp 1.16 and older");
}

static void
run(struct kiln_report *report)
{
  const struct kiln_report_run *seen = NULL;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_run *cold = &kiln_facts_sample(report, i)->cold;
    const struct kiln_model_load *other = NULL;
    if (!cold->model)
      continue;
    seen = cold;
    const int version = kiln_facts_warp(cold->model);
    const struct kiln_model_load *one =
        version && version <= KILN_WARP_CPU_RACE ? find_overlap(cold->model, &other) : NULL;
    if (one) {
      fire(report, cold, one, other);
      return;
    }
  }
  if (!seen)
    return;
  const int version = kiln_facts_warp(seen->model);
  if (!version)
    kiln_finding_ruled_out(report, "CS-8", "no process imported Warp.");
  else if (version > KILN_WARP_CPU_RACE)
    kiln_finding_ruled_out(
        report, "CS-8", "Warp %d.%d guards loads for the CPU by a mutex (from 1.17).", version / 1000, version % 1000);
  else
    kiln_finding_ruled_out(report, "CS-8", "no two threads of one process loaded CPU modules at the same moment.");
}

const struct kiln_rule kiln_rule_cs8 = {.id = "CS-8",
    .title = "several first CPU loads at once",
    .run = run,
    .not_when = "Only CUDA modules are loaded; retries and loading ahead hide the defect, they do not remove it.",
    .confirm = "Measure again: no loads for the CPU overlap in one process.",
    .correctness = true};
