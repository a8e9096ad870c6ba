#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

/* A build that failed may have taken its header with it. */
static bool
is_of_failed_build(const struct kiln_model *model, const struct kiln_model_header *header)
{
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (build->result == KILN_BUILD_FAILED && build->pid == header->pid && build->tid == header->tid &&
        header->start_ns >= build->start_ns && header->start_ns <= build->start_ns + build->wall_ns)
      return true;
  }
  return false;
}

/* One name stands for block size, level and flags: the same name is the same header. */
static bool
same_header(const struct kiln_model_header *a, const struct kiln_model_header *b)
{
  return a->pid == b->pid && a->tid == b->tid && a->path && b->path &&
         kiln_text_equal(kiln_text_base_name(a->path), kiln_text_base_name(b->path));
}

/* How often the header at `at` was made again by its thread; 0 when an earlier row stands for it. */
static size_t
repeats_at(const struct kiln_model *model, size_t at, uint64_t *wall_ns)
{
  size_t repeats = 0;
  if (is_of_failed_build(model, &model->headers[at]))
    return 0;
  for (size_t i = 0; i < at; i++)
    if (!is_of_failed_build(model, &model->headers[i]) && same_header(&model->headers[i], &model->headers[at]))
      return 0;
  for (size_t i = at + 1; i < model->header_count; i++)
    if (!is_of_failed_build(model, &model->headers[i]) && same_header(&model->headers[i], &model->headers[at])) {
      repeats++;
      *wall_ns += model->headers[i].wall_ns;
    }
  return repeats;
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run, size_t at, size_t repeats, uint64_t wall_ns)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-8");
  const struct kiln_model *model = run->model;
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "one thread made the precompiled header `%s` %zu times: it is not taken, and made again for the next module.",
      kiln_text_base_name(model->headers[at].path), repeats + 1);
  for (size_t i = at; i < model->header_count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_model_header *header = &model->headers[i];
    if (!same_header(header, &model->headers[at]))
      continue;
    kiln_finding_evidence(report, finding, "made for module `%s` in %.2f s", header->module ? header->module : "?",
        (double)header->wall_ns / 1e9);
    kiln_finding_event(report, finding, run, "pch", header->pid, header->tid, header->start_ns, header->wall_ns,
        header->module, (struct kiln_where){NULL, 0});
    shown++;
  }
  kiln_finding_remedy(report, finding,
      "Find what makes the compiler refuse the header between two modules: a file of the framework that changes, a "
      "clock "
      "that jumps, a temporary folder that is emptied.");
  kiln_finding_remedy(report, finding, "Until then switch it off: `warp.config.use_precompiled_headers = False`.");
  if (finding)
    finding->saves_at_most_s = (double)wall_ns / 1e9;
}

static void
run(struct kiln_report *report)
{
  bool seen = false;
  size_t headers = 0;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_run *cold = &kiln_facts_sample(report, i)->cold;
    for (size_t j = 0; cold->model && j < cold->model->header_count; j++) {
      uint64_t wall_ns = 0;
      const size_t repeats = repeats_at(cold->model, j, &wall_ns);
      if (repeats) {
        fire(report, cold, j, repeats, wall_ns);
        return;
      }
    }
    headers = cold->model && !seen ? cold->model->header_count : headers;
    seen = seen || cold->model;
  }
  if (seen && headers)
    kiln_finding_ruled_out(report, "N-8", "no thread made the same header twice; %zu made in the cold run.", headers);
  else if (seen)
    kiln_finding_ruled_out(report, "N-8", "no precompiled header was made.");
}

const struct kiln_rule kiln_rule_n8 = {.id = "N-8",
    .title = "precompiled header rejected and made again",
    .run = run,
    .not_when = "Modules are built with different flags or levels: each needs a header of its own, under another name.",
    .confirm = "Measure again: one header of a name in each thread."};
