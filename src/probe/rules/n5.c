#include <stdlib.h>

#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

/* Loads beyond the first of each identity, of one module in one process. */
#define LEAST_RELOADS 3
#define MOST_EVIDENCE 12

struct loop {
  size_t loads, identities;
  uint64_t wall_ns; /* of the reloads */
};

static bool
same_slot(const struct kiln_model_load *a, const struct kiln_model_load *b)
{
  return a->pid == b->pid && a->block_dim == b->block_dim && kiln_text_equal(a->module, b->module) &&
         kiln_text_equal(a->device, b->device) && kiln_text_equal(a->framework, b->framework);
}

/* Counted at the first load of a slot; loads 0 elsewhere. */
static struct loop
loop_at(const struct kiln_model *model, size_t at)
{
  struct loop loop = {0};
  const struct kiln_model_load *first = &model->loads[at];
  for (size_t i = 0; i < at; i++)
    if (same_slot(&model->loads[i], first))
      return loop;
  for (size_t i = at; i < model->load_count; i++) {
    const struct kiln_model_load *load = &model->loads[i];
    if (!same_slot(load, first) || load->result == KILN_BUILD_FAILED)
      continue;
    bool known = false;
    for (size_t j = at; j < i && !known; j++)
      known = same_slot(&model->loads[j], first) && kiln_text_equal(model->loads[j].identity, load->identity);
    loop.loads++;
    loop.identities += !known;
    loop.wall_ns += known ? load->wall_ns : 0;
  }
  return loop;
}

static void
add_loads(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run, size_t at)
{
  const struct kiln_model *model = run->model;
  size_t shown = 0;
  for (size_t i = at; i < model->load_count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_model_load *load = &model->loads[i];
    if (!same_slot(load, &model->loads[at]))
      continue;
    kiln_finding_evidence(report, finding, "identity %.7s was loaded", load->identity ? load->identity : "?");
    kiln_finding_event(
        report, finding, run, "load", load->pid, load->tid, load->start_ns, load->wall_ns, load->module, load->where);
    kiln_finding_where(report, finding, load->where);
    shown++;
  }
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, size_t at, const struct loop *loop)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-5");
  const struct kiln_model_load *first = &run->model->loads[at];
  kiln_finding_sentence(report, finding,
      "module `%s` was loaded %zu times by process %d under %zu identit%s: it is unloaded and loaded again and again.",
      first->module ? first->module : "?", loop->loads, first->pid, loop->identities,
      loop->identities == 1 ? "y" : "ies");
  add_loads(report, finding, run, at);
  kiln_finding_remedy(
      report, finding, "Make each kernel once and keep it: cache what a factory returns by its arguments.");
  kiln_finding_remedy(
      report, finding, "Where an option or a set of kernels alternates, give each state a module of its own by name.");
  if (finding)
    finding->saves_at_most_s = (double)loop->wall_ns / 1e9;
}

static bool
examine(struct kiln_report *report, const struct kiln_report_run *run, struct loop *worst)
{
  bool fired = false;
  for (size_t i = 0; i < run->model->load_count; i++) {
    const struct loop loop = loop_at(run->model, i);
    if (loop.loads > worst->loads)
      *worst = loop;
    if (loop.loads < loop.identities + LEAST_RELOADS)
      continue;
    fire(report, run, i, &loop);
    fired = true;
  }
  return fired;
}

static void
run(struct kiln_report *report)
{
  struct loop worst = {0};
  bool seen = false;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_run *cold = &kiln_facts_sample(report, i)->cold;
    if (!cold->model)
      continue;
    seen = true;
    if (examine(report, cold, &worst))
      return;
  }
  if (seen && worst.loads)
    kiln_finding_ruled_out(report, "N-5",
        "the module that one process loaded most often was loaded %zu time%s, under %zu identit%s.", worst.loads,
        worst.loads == 1 ? "" : "s", worst.identities, worst.identities == 1 ? "y" : "ies");
  else if (seen)
    kiln_finding_ruled_out(report, "N-5", "nothing was loaded.");
}

const struct kiln_rule kiln_rule_n5 = {.id = "N-5",
    .title = "reload loop",
    .run = run,
    .not_when = "Memory is short, and modules are unloaded on purpose.",
    .confirm = "Measure again: as many loads as identities in each process.",
    .deadline = "where the kernels are made"};
