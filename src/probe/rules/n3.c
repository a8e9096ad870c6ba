#include <stdlib.h>

#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

/* Builds of one artefact, neighbours in a sorted array. */
struct herd {
  const struct kiln_model_build **builds;
  size_t count;
};

struct totals {
  size_t artefacts, builds;
  double saves_s;
  const struct kiln_report_run *run;
};

static int
compare_builds(const void *a, const void *b)
{
  const struct kiln_model_build *left = *(const struct kiln_model_build *const *)a;
  const struct kiln_model_build *right = *(const struct kiln_model_build *const *)b;
  const int order = kiln_facts_compare_artefact(left, right);
  return order ? order : (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

/* Compiled builds only: who found the artefact in the cache repeated nothing. */
static const struct kiln_model_build **
sorted_builds(const struct kiln_model *model, size_t *count)
{
  *count = 0;
  const struct kiln_model_build **builds = malloc((model->build_count + 1) * sizeof *builds);
  for (size_t i = 0; builds && i < model->build_count; i++)
    if (model->builds[i].result == KILN_BUILD_COMPILED && model->builds[i].identity)
      builds[(*count)++] = &model->builds[i];
  if (builds)
    qsort(builds, *count, sizeof *builds, compare_builds);
  return builds;
}

/* The same thread building twice is another defect (a cache that is not reused). */
static bool
is_herd(const struct herd *herd)
{
  for (size_t i = 1; i < herd->count; i++)
    if (herd->builds[i]->pid != herd->builds[0]->pid || herd->builds[i]->tid != herd->builds[0]->tid)
      return true;
  return false;
}

static bool
overlaps(const struct herd *herd)
{
  uint64_t end = 0;
  for (size_t i = 0; i < herd->count; i++) {
    if (i && herd->builds[i]->start_ns < end)
      return true;
    const uint64_t own = herd->builds[i]->start_ns + herd->builds[i]->wall_ns;
    end = own > end ? own : end;
  }
  return false;
}

/* CPU time, not the clock: builds at the same moment delay the start little, but each takes a core. One build remains,
 * at best the cheapest. The precompiled header counts: a process that loads what another one built makes none. */
static double
saved_cpu_s(const struct herd *herd)
{
  uint64_t sum = 0, cheapest = UINT64_MAX;
  for (size_t i = 0; i < herd->count; i++) {
    const uint64_t cpu = herd->builds[i]->cpu_ns;
    sum += cpu;
    cheapest = cpu < cheapest ? cpu : cheapest;
  }
  return (double)(sum - cheapest) / 1e9;
}

static size_t
process_count(const struct herd *herd)
{
  size_t count = 0;
  for (size_t i = 0; i < herd->count; i++) {
    bool known = false;
    for (size_t j = 0; j < i && !known; j++)
      known = herd->builds[j]->pid == herd->builds[i]->pid;
    count += !known;
  }
  return count;
}

static void
add_evidence(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run,
    const struct herd *herd)
{
  struct kiln_buf who;
  kiln_buf_init(&who);
  const bool threads = process_count(herd) == 1;
  for (size_t i = 0; i < herd->count && i < 8; i++)
    kiln_buf_printf(&who, "%s%d", i ? ", " : "", threads ? herd->builds[i]->tid : herd->builds[i]->pid);
  if (herd->count > 8)
    kiln_buf_text_append(&who, ", …");
  const struct kiln_model_build *first = herd->builds[0];
  kiln_finding_evidence(report, finding, "module `%s`, identity %.7s: built %zu times, by %s %s; the builds %s",
      first->module ? first->module : "?", first->identity, herd->count, threads ? "threads" : "processes",
      kiln_buf_text(&who), overlaps(herd) ? "overlapped in time" : "came one after another");
  for (size_t i = 0; i < herd->count && i < 8; i++)
    kiln_finding_event(report, finding, run, "compile", herd->builds[i]->pid, herd->builds[i]->tid,
        herd->builds[i]->start_ns, herd->builds[i]->wall_ns, herd->builds[i]->module, herd->builds[i]->where);
  kiln_buf_release(&who);
  kiln_finding_where(report, finding, first->where);
}

static void
add_herd(struct kiln_report *report, struct kiln_finding **finding, const struct herd *herd, struct totals *totals)
{
  if (!is_herd(herd))
    return;
  if (!*finding)
    *finding = kiln_finding_add(report, "N-3");
  totals->artefacts++;
  totals->builds += herd->count;
  totals->saves_s += saved_cpu_s(herd);
  if (totals->artefacts <= MOST_EVIDENCE)
    add_evidence(report, *finding, totals->run, herd);
  if (totals->artefacts == 1) {
    const size_t processes = process_count(herd);
    kiln_finding_sentence(report, *finding,
        "identity %.7s of module `%s` was built %zu times in one run, by %zu %s: %zu of %zu builds were not needed.",
        herd->builds[0]->identity, herd->builds[0]->module ? herd->builds[0]->module : "?", herd->count,
        processes > 1 ? processes : herd->count, processes > 1 ? "processes" : "threads", herd->count - 1, herd->count);
  }
}

static void
finish(struct kiln_report *report, struct kiln_finding *finding, const struct totals *totals)
{
  if (!finding)
    return;
  if (totals->artefacts > 1)
    kiln_finding_sentence(report, finding,
        "%zu identities were built several times in one run, by different processes or threads: %zu of %zu builds were "
        "not needed.",
        totals->artefacts, totals->builds - totals->artefacts, totals->builds);
  if (totals->artefacts > MOST_EVIDENCE)
    kiln_finding_evidence(report, finding, "and %zu more identities", totals->artefacts - MOST_EVIDENCE);
  kiln_finding_remedy(report, finding,
      "Let one build while the others wait for the cache (`kiln apply` does, for the ranks of one machine).");
  kiln_finding_remedy(
      report, finding, "Let one process build first: a build step, or the first rank before the others start.");
  finding->saves_at_most_s = totals->saves_s;
  finding->saves_cpu = true;
}

static struct totals
examine(struct kiln_report *report, struct kiln_finding **finding, const struct kiln_report_run *run)
{
  const struct kiln_model *model = run->model;
  struct totals totals = {.run = run};
  size_t count;
  const struct kiln_model_build **builds = sorted_builds(model, &count);
  for (size_t begin = 0, end; builds && begin < count; begin = end) {
    for (end = begin + 1; end < count && kiln_facts_same_artefact(builds[begin], builds[end]); end++) {
    }
    const struct herd herd = {builds + begin, end - begin};
    if (report)
      add_herd(report, finding, &herd, &totals);
    else if (is_herd(&herd)) {
      totals.artefacts++;
      totals.builds += herd.count;
    }
  }
  free(builds);
  return totals;
}

static void
run(struct kiln_report *report)
{
  struct kiln_finding *finding = NULL;
  struct totals first = {0};
  uint64_t builds = 0;
  bool seen = false;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    if (!sample->cold.model)
      continue;
    if (finding) {
      const struct totals other = examine(NULL, NULL, &sample->cold);
      if (other.builds != first.builds || other.artefacts != first.artefacts)
        kiln_finding_evidence(report, finding, "sample %d differs: %zu builds of %zu such identities", sample->index,
            other.builds, other.artefacts);
      continue;
    }
    first = examine(report, &finding, &sample->cold);
    finish(report, finding, &first);
    builds = sample->cold.model->counts.builds;
    seen = true;
  }
  if (seen && !finding)
    kiln_finding_ruled_out(report, "N-3",
        builds ? "no identity was built by a second process or thread of a run."
               : "no module was built in the cold run.");
}

const struct kiln_rule kiln_rule_n3 = {.id = "N-3",
    .title = "one identity built several times in one run",
    .run = run,
    .not_when = "The processes do not share a file system: each needs a cache of its own.",
    .confirm = "Measure again: builds equal identities, and launches are the same.",
    .deadline = "before the second process launches its first kernel"};
