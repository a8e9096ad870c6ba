#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

static bool
same_name(const struct kiln_model_header *a, const struct kiln_model_header *b)
{
  return a->path && b->path && kiln_text_equal(kiln_text_base_name(a->path), kiln_text_base_name(b->path));
}

/* Did the thread that made this header build something that nobody else had built before? A header that served only
 * repeated builds goes with them (N-3). */
static bool
serves_own_builds(const struct kiln_model *model, const struct kiln_model_header *header)
{
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->pid != header->pid || build->tid != header->tid || build->result != KILN_BUILD_COMPILED)
      continue;
    bool repeated = false;
    for (size_t j = 0; j < i && !repeated; j++)
      repeated = model->builds[j].result == KILN_BUILD_COMPILED && kiln_facts_same_artefact(&model->builds[j], build) &&
                 (model->builds[j].pid != build->pid || model->builds[j].tid != build->tid);
    if (!repeated)
      return true;
  }
  return false;
}

/* An earlier header of this name by another process or thread of the run; own: only one that served builds of its own
 * counts. Who began first is chance: the first header need not be that of the first build. */
static bool
is_repeat(const struct kiln_model *model, size_t at, bool own)
{
  const struct kiln_model_header *header = &model->headers[at];
  for (size_t i = 0; i < at; i++)
    if (same_name(&model->headers[i], header) &&
        (model->headers[i].pid != header->pid || model->headers[i].tid != header->tid) &&
        (!own || serves_own_builds(model, &model->headers[i])))
      return true;
  return false;
}

/* Made again, for builds that nobody else had made. */
static bool
is_needless(const struct kiln_model *model, size_t at)
{
  return serves_own_builds(model, &model->headers[at]) && is_repeat(model, at, true);
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, size_t repeats)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-15");
  const struct kiln_model *model = run->model;
  uint64_t cpu_ns = 0;
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "the same precompiled header was made %zu times in one run, by different processes or threads: each makes its "
      "own.",
      repeats + 1);
  for (size_t i = 0; i < model->header_count; i++) {
    const struct kiln_model_header *header = &model->headers[i];
    if (is_needless(model, i))
      cpu_ns += header->cpu_ns;
    if (shown++ >= MOST_EVIDENCE)
      continue;
    kiln_finding_evidence(report, finding, "`%s`, made by thread %d of process %d in %.2f s of CPU time",
        header->path ? kiln_text_base_name(header->path) : "?", header->tid, header->pid, (double)header->cpu_ns / 1e9);
    kiln_finding_event(report, finding, run, "pch", header->pid, header->tid, header->start_ns, header->wall_ns,
        header->module, (struct kiln_where){NULL, 0});
  }
  kiln_finding_remedy(report, finding,
      "Share one header between the processes of a machine (`kiln apply` keeps one for each version and set of "
      "flags).");
  kiln_finding_remedy(report, finding, "Build in one process before the others start.");
  if (finding) {
    finding->saves_at_most_s = (double)cpu_ns / 1e9;
    finding->saves_cpu = true;
  }
}

static void
run(struct kiln_report *report)
{
  bool seen = false;
  size_t headers = 0, herd = 0;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_run *cold = &kiln_facts_sample(report, i)->cold;
    size_t repeats = 0;
    for (size_t j = 0; cold->model && j < cold->model->header_count; j++) {
      repeats += is_needless(cold->model, j);
      herd += is_repeat(cold->model, j, false);
    }
    if (repeats) {
      fire(report, cold, repeats);
      return;
    }
    headers = cold->model && !seen ? cold->model->header_count : headers;
    seen = seen || cold->model;
  }
  if (seen && herd)
    kiln_finding_ruled_out(
        report, "N-15", "a header was made again only for builds that were themselves repeated: N-3 counts them.");
  else if (seen && headers)
    kiln_finding_ruled_out(report, "N-15", "one process made the header, once, and no other made the same.");
  else if (seen)
    kiln_finding_ruled_out(report, "N-15", "no precompiled header was made.");
}

const struct kiln_rule kiln_rule_n15 = {.id = "N-15",
    .title = "the same precompiled header made by every process",
    .run = run,
    .not_when = "The processes run on different machines, or with different versions or flags.",
    .confirm = "Measure again: one `pch` for each name of a header in the run.",
    .deadline = "before the first build of the second process"};
