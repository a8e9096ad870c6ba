#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/list.h"

#define LEAST_HOST_S 0.5

static double
cpu_s(const struct kiln_report_run *run, enum kiln_phase phase)
{
  return (double)run->phase[phase].cpu_ns / 1e9;
}

/* What importing the framework alone takes is not the program's doing. Spans have no CPU time of their own here; an
 * import waits for little. */
static double
framework_s(const struct kiln_report_run *run)
{
  const char *framework = run->model->build_count ? run->model->builds[0].framework : NULL;
  uint64_t longest = 0;
  for (size_t i = 0; framework && i < run->model->long_count; i++) {
    const struct kiln_model_long *span = &run->model->longs[i];
    if (span->phase == KILN_PHASE_IMPORTS && kiln_text_equal(span->name, framework) && span->wall_ns > longest)
      longest = span->wall_ns;
  }
  const double imports = cpu_s(run, KILN_PHASE_IMPORTS), own = (double)longest / 1e9;
  return own < imports ? own : imports;
}

static double
host_s(const struct kiln_report_run *run)
{
  return cpu_s(run, KILN_PHASE_IMPORTS) - framework_s(run) + cpu_s(run, KILN_PHASE_DECLARATION) +
         cpu_s(run, KILN_PHASE_HASHING);
}

static double
native_s(const struct kiln_report_run *run)
{
  return cpu_s(run, KILN_PHASE_CODEGEN) + cpu_s(run, KILN_PHASE_PCH) + cpu_s(run, KILN_PHASE_COMPILE) +
         cpu_s(run, KILN_PHASE_LINK) + cpu_s(run, KILN_PHASE_LOAD);
}

/* The imports and other spans of that kind that took longest. */
static void
add_longest(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_run *run)
{
  uint64_t below = UINT64_MAX;
  for (int shown = 0; shown < 5; shown++) {
    const struct kiln_model_long *longest = NULL;
    for (size_t i = 0; i < run->model->long_count; i++) {
      const struct kiln_model_long *span = &run->model->longs[i];
      if (span->phase != KILN_PHASE_IMPORTS && span->phase != KILN_PHASE_DECLARATION &&
          span->phase != KILN_PHASE_HASHING)
        continue;
      if (span->wall_ns < below && (!longest || span->wall_ns > longest->wall_ns))
        longest = span;
    }
    if (!longest)
      return;
    below = longest->wall_ns;
    kiln_finding_evidence(report, finding, "%s of `%s` took %.2f s", longest->kind, longest->name ? longest->name : "?",
        (double)longest->wall_ns / 1e9);
    kiln_finding_event(report, finding, run, longest->kind, longest->pid, longest->tid, longest->start_ns,
        longest->wall_ns, longest->name, (struct kiln_where){NULL, 0});
  }
}

static void
fire(struct kiln_report *report, const struct kiln_report_run *run)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-6");
  kiln_finding_sentence(report, finding,
      "the host side costs more than the compiler: %.2f s of CPU time for imports, declarations and hashing against "
      "%.2f s for building and loading.",
      host_s(run), native_s(run));
  kiln_finding_evidence(report, finding,
      "imports %.2f s without the %.2f s of the framework itself, declaration %.2f s, hashing %.2f s of CPU time",
      cpu_s(run, KILN_PHASE_IMPORTS) - framework_s(run), framework_s(run), cpu_s(run, KILN_PHASE_DECLARATION),
      cpu_s(run, KILN_PHASE_HASHING));
  add_longest(report, finding, run);
  kiln_finding_remedy(
      report, finding, "Import what a run does not need where it is used, not at the top of the program.");
  kiln_finding_remedy(report, finding, "Declare fewer kernels: make those of features that are in use.");
  if (finding) {
    finding->saves_at_most_s = host_s(run);
    finding->saves_cpu = true;
  }
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "N-6")) {
    const double host = host_s(artefacts.run), native = native_s(artefacts.run);
    if (host >= LEAST_HOST_S && host > native && kiln_artefacts_worth(&artefacts, host))
      fire(report, artefacts.run);
    else if (artefacts.run->phase[KILN_PHASE_IMPORTS].cpu_ns == 0)
      kiln_finding_not_reached(report, "N-6", "a run with the phases of its main process: kiln diagnose -- COMMAND",
          "the time of this run is not split into phases.");
    else
      kiln_finding_ruled_out(report, "N-6",
          "imports, declarations and hashing take %.2f s of CPU time, building and loading %.2f s.", host, native);
  }
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_n6 = {.id = "N-6",
    .title = "host side cost: import, declaration, hashing",
    .run = run,
    .not_when = "The imports are needed at once in every run.",
    .confirm = "Measure again: the phases imports, declaration and hashing fell, the launches are the same."};
