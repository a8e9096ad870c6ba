#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/list.h"

#define LEAST_UNROLLED 64
#define LEAST_BYTES (64 * 1024)

static bool
is_unrolled(const struct kiln_artefact *artefact)
{
  return artefact->build->unrolled >= LEAST_UNROLLED && artefact->build->source_bytes >= LEAST_BYTES;
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, size_t modules, uint64_t own_ns)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-11");
  kiln_finding_sentence(report, finding,
      "loops with fixed bounds were unrolled into the source of %zu module%s: the source is large, and its one build "
      "is "
      "dear.",
      modules, modules == 1 ? "" : "s");
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!is_unrolled(artefact))
      continue;
    const char *option = kiln_artefact_option(artefact, "max_unroll");
    kiln_finding_build(report, finding, artefacts->run, artefact->build);
    kiln_finding_evidence(report, finding, "%d loop bodies were repeated; the source has %llu bytes; max_unroll is %s",
        artefact->build->unrolled, (unsigned long long)artefact->build->source_bytes, option ? option : "not recorded");
    kiln_finding_where(report, finding, kiln_artefact_declared(artefacts, artefact));
  }
  kiln_finding_remedy(report, finding,
      "Measure the smallest `max_unroll` that keeps the kernel's run time (`kiln try --allow-kernel-changes`).");
  kiln_finding_remedy(
      report, finding, "Make the bound of a long loop an argument of the kernel: it stays a loop then.");
  if (finding)
    finding->saves_at_most_s = (double)own_ns / 1e9;
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  size_t modules = 0, bodies = 0;
  uint64_t own_ns = 0, own_cpu_ns = 0;
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    bodies += artefact->build->unrolled > 0 ? (size_t)artefact->build->unrolled : 0;
    if (!is_unrolled(artefact))
      continue;
    modules++;
    own_ns += artefact->own_ns;
    own_cpu_ns += artefact->own_cpu_ns;
  }
  if (modules && kiln_artefacts_worth(artefacts, (double)own_cpu_ns / 1e9))
    fire(report, artefacts, modules, own_ns);
  else if (bodies)
    kiln_finding_ruled_out(report, "CS-11",
        "%zu loop bodies were repeated by unrolling in all modules together: the source stays small, or its build "
        "cheap.",
        bodies);
  else
    kiln_finding_ruled_out(report, "CS-11", "no loop was unrolled into the source.");
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-11"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs11 = {.id = "CS-11",
    .title = "loops unrolled into a large source",
    .run = run,
    .not_when = "The aim is a faster start alone: less source is not always less time, so measure it; a kernel may run "
                "slower without unrolling.",
    .confirm = "The module's identity differs, its source bytes fell, and the kernel's steady time did not rise.",
    .deadline = "before the Python file that holds the kernels is imported (`warp.config.max_unroll`), or before the "
                "module's first load (its option)"};
