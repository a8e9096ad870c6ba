#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

/* Another process of this run may have made the older file: then it is not from an older cache. */
static bool
made_here(const struct kiln_model *model, const struct kiln_model_build *build)
{
  for (size_t i = 0; i < model->build_count; i++)
    if (&model->builds[i] != build && model->builds[i].result == KILN_BUILD_COMPILED &&
        model->builds[i].start_ns < build->start_ns && kiln_text_equal(model->builds[i].path, build->path))
      return true;
  return false;
}

static bool
is_misfit(const struct kiln_model *model, const struct kiln_model_build *build)
{
  return build->result == KILN_BUILD_COMPILED && !build->aot &&
         (build->elsewhere || (build->stale && build->fresh && !made_here(model, build)));
}

static void
add_build(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const struct kiln_model_build *build)
{
  if (build->elsewhere)
    kiln_finding_evidence(report, finding,
        "module `%s`, identity %.7s: the cache has it under version %s of the framework, not under the one that runs",
        build->module ? build->module : "?", build->identity ? build->identity : "?", build->elsewhere);
  else
    kiln_finding_evidence(report, finding, "module `%s`, identity %.7s: the cache had %s, this machine needs %s",
        build->module ? build->module : "?", build->identity ? build->identity : "?", build->stale, build->fresh);
  kiln_finding_event(report, finding, run, "compile", build->pid, build->tid, build->start_ns, build->wall_ns,
      build->module, build->where);
  kiln_finding_where(report, finding, build->where);
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, size_t count)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-10");
  bool version = false;
  uint64_t wall_ns = 0;
  size_t shown = 0;
  for (size_t i = 0; i < run->model->build_count; i++) {
    const struct kiln_model_build *build = &run->model->builds[i];
    if (!is_misfit(run->model, build))
      continue;
    version = version || build->elsewhere;
    wall_ns += build->wall_ns;
    if (shown++ < MOST_EVIDENCE)
      add_build(report, finding, run, build);
  }
  kiln_finding_sentence(report, finding,
      "the cache had %zu of the needed module%s, but not for this %s: %s was built again.", count,
      count == 1 ? "" : "s", version ? "version of the framework" : "machine", count == 1 ? "it" : "each");
  kiln_finding_remedy(report, finding, "%s",
      version ? "Fill the cache with the version of the framework that runs."
              : "Fill the cache on the kind of machine that uses it: same processor features or GPU architecture, same "
                "compiler.");
  kiln_finding_remedy(report, finding,
      "Give a cache that travels a name that holds what it was made for: version, processor or architecture, driver.");
  if (finding)
    finding->saves_at_most_s = (double)wall_ns / 1e9;
}

static bool
examine(struct kiln_report *report, const struct kiln_report_run *run, bool *built)
{
  size_t misfits = 0;
  for (size_t i = 0; run->model && i < run->model->build_count; i++) {
    misfits += is_misfit(run->model, &run->model->builds[i]);
    *built = *built || run->model->builds[i].result == KILN_BUILD_COMPILED;
  }
  if (misfits)
    fire(report, run, misfits);
  return misfits > 0;
}

static void
run(struct kiln_report *report)
{
  bool seen = false, built = false;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    if (examine(report, &sample->cold, &built) || examine(report, &sample->warm, &built))
      return;
    seen = seen || sample->cold.model;
  }
  if (seen)
    kiln_finding_ruled_out(report, "N-10", "%s",
        built ? "where modules were built the cache held nothing of them, made for another machine or version."
              : "no module was built.");
}

const struct kiln_rule kiln_rule_n10 = {.id = "N-10",
    .title = "the cache was made for another machine or version",
    .run = run,
    .not_when = "The machines truly differ: then each kind needs artefacts of its own.",
    .confirm = "Measure again with the restored cache: no build.",
    .deadline = "before the run: where the cache is packed"};
