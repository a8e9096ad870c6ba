#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/list.h"

#define DOMINATES                                                                                                      \
  0.6 /* of all builds' CPU time; of the build's time in the native compiler; of the module's source                   \
       */
#define LEAST_CPU_S 1.0
#define LEAST_BYTES (100 * 1024)
#define UNROLLED 64

static const struct kiln_artefact *
dearest_of(const struct kiln_artefacts *artefacts)
{
  const struct kiln_artefact *dearest = &artefacts->items[0];
  for (size_t i = 1; i < artefacts->count; i++)
    if (artefacts->items[i].own_cpu_ns > dearest->own_cpu_ns)
      dearest = &artefacts->items[i];
  return dearest;
}

static double
kernel_share(const struct kiln_model_build *build)
{
  return build->source_bytes ? (double)build->largest_bytes / (double)build->source_bytes : 0;
}

static double
native_share(const struct kiln_artefact *artefact)
{
  return artefact->own_cpu_ns ? (double)artefact->build->native.cpu_ns / (double)artefact->own_cpu_ns : 0;
}

/* Seconds of native compile for each 100 kB: a kernel that is too large shows here beside the others. */
static double
per_100_kb(const struct kiln_artefact *artefact)
{
  const double bytes = (double)artefact->build->source_bytes;
  return bytes > 0 ? (double)artefact->build->native.cpu_ns / 1e9 / bytes * 100e3 : 0;
}

/* What is left of a number when backward code goes that nobody needs (CS-10). */
static double
without_backward(const struct kiln_report *report, const struct kiln_model_build *build, double number)
{
  const struct kiln_report_arm *arm = report->rules_arm ? report->rules_arm : report->arms;
  for (size_t i = 0; i < report->finding_count; i++)
    if (kiln_text_equal(report->findings[i].id, "CS-10") && report->findings[i].arm == arm->name && build->source_bytes)
      return number * (1 - (double)build->backward_bytes / (double)build->source_bytes);
  return number;
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-7");
  const struct kiln_model_build *build = artefact->build;
  struct kiln_buf text;
  kiln_finding_sentence(report, finding,
      "kernel `%s` is oversized: it is %.0f %% of the source of module `%s`, whose build takes %.0f %% of all.",
      build->largest ? build->largest : "?", kernel_share(build) * 100, build->module ? build->module : "?",
      (double)artefact->own_cpu_ns / (double)artefacts->sum_cpu_ns * 100);
  kiln_finding_build(report, finding, artefacts->run, build);
  kiln_finding_evidence(report, finding,
      "its source has %llu bytes, of which the kernel has %llu; %.2f s of native "
      "compile for each 100 kB",
      (unsigned long long)build->source_bytes, (unsigned long long)build->largest_bytes, per_100_kb(artefact));
  kiln_finding_where(report, finding, kiln_artefact_declared(artefacts, artefact));
  kiln_buf_init(&text);
  kiln_floor_text(report, &text);
  kiln_finding_evidence(report, finding, "before a split: %s", kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_finding_remedy(report, finding,
      "Split the kernel into several that run one after another, where its data allow it: compile time grows faster "
      "than "
      "the source.");
  kiln_finding_remedy(report, finding, "Turn repeated code into a loop whose bound is an argument.");
  if (finding)
    finding->saves_at_most_s = (double)artefact->own_ns / 1e9;
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  const struct kiln_artefact *dearest = dearest_of(artefacts);
  const struct kiln_model_build *build = dearest->build;
  const double share = artefacts->sum_cpu_ns ? (double)dearest->own_cpu_ns / (double)artefacts->sum_cpu_ns : 0;
  if (build->largest_bytes == 0)
    kiln_finding_not_reached(report, "N-7", "a run with an agent that reads the generated source",
        "how large single kernels are was not recorded.");
  else if (share < DOMINATES || !kiln_artefacts_worth(artefacts, (double)dearest->own_cpu_ns / 1e9) ||
           (double)dearest->own_cpu_ns / 1e9 < LEAST_CPU_S)
    kiln_finding_ruled_out(report, "N-7", "the dearest build takes %.2f s of CPU time, %.0f %% of all builds.",
        (double)dearest->own_cpu_ns / 1e9, share * 100);
  else if (build->unrolled >= UNROLLED)
    kiln_finding_ruled_out(report, "N-7",
        "the dearest module is large because %d loop bodies were repeated in it: see CS-11.", build->unrolled);
  else if (kernel_share(build) < DOMINATES || build->largest_bytes < LEAST_BYTES || native_share(dearest) < DOMINATES)
    kiln_finding_ruled_out(report, "N-7",
        "module `%s` dominates with %d kernels, but none of them is oversized: the largest, `%s`, has %llu of %llu "
        "bytes.",
        build->module ? build->module : "?", build->kernel_count, build->largest ? build->largest : "?",
        (unsigned long long)build->largest_bytes, (unsigned long long)build->source_bytes);
  else if (without_backward(report, build, (double)dearest->own_cpu_ns / 1e9) < LEAST_CPU_S ||
           without_backward(report, build, (double)build->largest_bytes) < LEAST_BYTES)
    kiln_finding_ruled_out(report, "N-7",
        "module `%s` dominates, and without its backward code, which CS-10 says is not needed, it would not be "
        "oversized.",
        build->module ? build->module : "?");
  else
    fire(report, artefacts, dearest);
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "N-7"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_n7 = {.id = "N-7",
    .title = "one oversized kernel",
    .run = run,
    .not_when =
        "The kernel's parts share so much that a split would compute it twice, or its run time matters more than "
        "its first start.",
    .confirm = "Measure again: the builds' sum fell, and the program's output is the same."};
