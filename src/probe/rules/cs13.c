#include <string.h>

#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define LEAST_BUILDS 3
#define LEAST_SPEED_UP 1.5
#define MOST_OVERLAP 1.3
#define LEAST_CPU_S 1.0
#define MOST_EVIDENCE 12

/* Builds that are not needed go first: to overlap them would be to hide them. */
static const char *
structural(const struct kiln_report *report)
{
  static const char *const ids[] = {"CS-1", "CS-3", "CS-4", "CS-5", "CS-6", "CS-9", "CS-12", "N-4", "N-5", "N-8"};
  const struct kiln_report_arm *arm = report->rules_arm ? report->rules_arm : report->arms;
  for (size_t i = 0; i < report->finding_count; i++)
    for (size_t j = 0; j < sizeof ids / sizeof *ids; j++)
      if (kiln_text_equal(report->findings[i].id, ids[j]) && report->findings[i].arm == arm->name)
        return ids[j];
  return NULL;
}

static bool
any_on(const struct kiln_artefacts *artefacts, bool gpu)
{
  for (size_t i = 0; i < artefacts->count; i++)
    if (kiln_artefact_on_gpu(&artefacts->items[i]) == gpu)
      return true;
  return false;
}

static void
add_builds(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  const double sum_s = (double)artefacts->sum_ns / 1e9, largest_s = (double)artefacts->largest_ns / 1e9;
  kiln_finding_evidence(report, finding,
      "ceiling: the builds take %.2f s together and the largest %.2f s, so that side by side they are at most %.1f "
      "times "
      "as fast; with fewer cores less; this machine has %d",
      sum_s, largest_s, largest_s > 0 ? sum_s / largest_s : 1, report->host.cores);
  for (size_t i = 0; i < artefacts->count && i < MOST_EVIDENCE; i++)
    kiln_finding_build(report, finding, artefacts->run, artefacts->items[i].build);
  if (artefacts->count > MOST_EVIDENCE)
    kiln_finding_evidence(report, finding, "and %zu more builds", artefacts->count - MOST_EVIDENCE);
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-13");
  const int version = kiln_facts_warp(artefacts->model);
  kiln_finding_sentence(report, finding,
      "%zu independent modules were built one after another (overlap %.1f): built side by side they would take as long "
      "as the largest, not as their sum.",
      artefacts->count, artefacts->model->overlap);
  add_builds(report, finding, artefacts);
  kiln_finding_remedy(report, finding,
      "Build the modules of this run ahead in processes, at the block sizes that it uses: `kiln try`, then `kiln "
      "apply`.");
  if (any_on(artefacts, false))
    kiln_finding_gate(report, finding, "no preload by threads: modules are built for the CPU here%s",
        version && version <= KILN_WARP_CPU_RACE ? ", and this Warp does not guard such loads" : "");
  else
    kiln_finding_remedy(report, finding,
        "Load them by threads at the entry point: `wp.force_load(device=…, modules=[…], block_dim=…, max_workers=n)`, "
        "with the modules named; a wrong name must raise.");
  if (finding)
    finding->saves_at_most_s = (double)(artefacts->sum_ns - artefacts->largest_ns) / 1e9;
}

/* The second of the two rules that outrank any gain. */
static bool
is_forbidden(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  const int version = kiln_facts_warp(artefacts->model);
  if (!version || version > KILN_WARP_CPU_RACE || !any_on(artefacts, false))
    return false;
  kiln_report_warn(report,
      "On Warp %d.%d loads that may hit the CPU must not overlap (a kernel may be looked up in the wrong module): do "
      "not "
      "load modules ahead with several workers here, nor with `device=None` or a list of devices that holds the CPU.",
      version / 1000, version % 1000);
  kiln_finding_ruled_out(report, "CS-13",
      "modules are built for the CPU%s, and on Warp %d.%d loads that may hit it must not overlap: loading ahead is no "
      "remedy here.",
      any_on(artefacts, true) ? " beside a GPU" : "", version / 1000, version % 1000);
  return true;
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  const double sum = (double)artefacts->sum_cpu_ns, largest = (double)artefacts->largest_cpu_ns;
  const char *first = structural(report);
  if (artefacts->count < LEAST_BUILDS)
    kiln_finding_ruled_out(report, "CS-13", "%zu module%s built: there is nothing to build side by side.",
        artefacts->count, artefacts->count == 1 ? " was" : "s were");
  else if (artefacts->model->overlap > MOST_OVERLAP)
    kiln_finding_ruled_out(
        report, "CS-13", "builds overlap already: %.1f at a time on average.", artefacts->model->overlap);
  else if (largest <= 0 || sum / largest < LEAST_SPEED_UP)
    kiln_finding_ruled_out(report, "CS-13",
        "one module dominates: of %.2f s of CPU time for %zu builds the largest takes %.2f s, and side by side it "
        "would "
        "still take that.",
        sum / 1e9, artefacts->count, largest / 1e9);
  else if ((sum - largest) / 1e9 < LEAST_CPU_S || !kiln_artefacts_worth(artefacts, (sum - largest) / 1e9))
    kiln_finding_ruled_out(report, "CS-13",
        "all builds but the largest take %.2f s of CPU time together: too little to matter.", (sum - largest) / 1e9);
  else if (first)
    kiln_finding_not_reached(report, "CS-13", "the same program after that was repaired",
        "builds come one after another, but some of them are not needed: %s goes first.", first);
  else if (!is_forbidden(report, artefacts))
    fire(report, artefacts);
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-13"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs13 = {.id = "CS-13",
    .title = "independent modules built one after another",
    .run = run,
    .not_when = "A cache is kept between runs: only the first start gains. `modules=None` loads everything that is "
                "registered, and a wrong block size builds twice.",
    .confirm = "Judge by the clock: the same builds and identities, none twice, overlap above 1. The sum of the builds "
               "rises when they overlap; that is no regression.",
    .deadline = "at the program's entry, before the first launch"};
