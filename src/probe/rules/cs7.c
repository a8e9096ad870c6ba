#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12
/* A link-time object is no build of the program's own: less than this is not worth a word. */
#define LEAST_S 0.5

struct links {
  size_t built, cached;
  uint64_t wall_ns, largest_ns;
};

static struct links
sum_links(const struct kiln_model *model)
{
  struct links links = {0};
  for (size_t i = 0; i < model->link_count; i++) {
    const struct kiln_model_link *link = &model->links[i];
    if (link->result != KILN_BUILD_COMPILED) {
      links.cached += link->result == KILN_BUILD_CACHED;
      continue;
    }
    links.built++;
    links.wall_ns += link->wall_ns;
    links.largest_ns = link->wall_ns > links.largest_ns ? link->wall_ns : links.largest_ns;
  }
  return links;
}

static void
add_links(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  size_t shown = 0;
  for (size_t i = 0; i < artefacts->model->link_count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_model_link *link = &artefacts->model->links[i];
    if (link->result != KILN_BUILD_COMPILED)
      continue;
    kiln_finding_evidence(report, finding, "link-time object `%s` of module `%s` took %.2f s",
        link->symbol ? link->symbol : "?", link->module ? link->module : "?", (double)link->wall_ns / 1e9);
    kiln_finding_event(report, finding, artefacts->run, "link", link->pid, link->tid, link->start_ns, link->wall_ns,
        link->symbol, (struct kiln_where){NULL, 0});
    shown++;
  }
}

/* What of the links belongs to backward code is seen in their number, not in the source. */
static void
add_modules(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (artefact->build->lto == 0)
      continue;
    kiln_finding_evidence(report, finding,
        "module `%s` uses %d link-time objects; built in %.2f s, of which the native compiler took %.2f s; "
        "enable_backward is %s",
        artefact->build->module ? artefact->build->module : "?", artefact->build->lto, (double)artefact->own_ns / 1e9,
        (double)artefact->build->native.wall_ns / 1e9,
        kiln_artefact_option(artefact, "enable_backward") ? kiln_artefact_option(artefact, "enable_backward")
                                                          : "not recorded");
    kiln_finding_where(report, finding, artefact->build->where);
  }
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct links *links)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-7");
  const double wall_s = (double)links->wall_ns / 1e9;
  if (links->built == 1)
    kiln_finding_sentence(report, finding,
        "one link-time object of a tile operation took %.1f s to make: MathDx is paid for at build time, and whether "
        "it "
        "is earned back at run time was not measured.",
        wall_s);
  else
    kiln_finding_sentence(report, finding,
        "%zu link-time objects of tile operations took %.1f s to make, one after another: MathDx is paid for at build "
        "time, and whether it is earned back at run time was not measured.",
        links->built, wall_s);
  add_links(report, finding, artefacts);
  add_modules(report, finding, artefacts);
  kiln_finding_remedy(report, finding,
      "Look at CS-10 first: without backward code a tile module needs fewer objects (the module's option removes them, "
      "the kernel's argument does not).");
  if (links->built > 1)
    kiln_finding_remedy(report, finding,
        "Make the objects ahead of time, side by side (`kiln apply`): they are independent, and the largest takes "
        "%.1f s.",
        (double)links->largest_ns / 1e9);
  kiln_finding_remedy(report, finding,
      "Measure `enable_mathdx_gemm`, `_fft` or `_solver` both ways, build time and the kernel's steady time, at the "
      "precision in use (`kiln try --allow-kernel-changes`).");
  if (finding)
    finding->saves_at_most_s = wall_s;
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-7")) {
    const struct links links = sum_links(artefacts.model);
    if (links.built && (double)links.wall_ns / 1e9 >= LEAST_S)
      fire(report, &artefacts, &links);
    else if (links.built)
      kiln_finding_ruled_out(report, "CS-7", "%zu link-time objects were made, in %.2f s together.", links.built,
          (double)links.wall_ns / 1e9);
    else
      kiln_finding_ruled_out(report, "CS-7", "no link-time object was made%s.",
          links.cached ? ": those that were used came from the cache" : "");
  }
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs7 = {.id = "CS-7",
    .title = "link-time objects not amortised",
    .run = run,
    .not_when = "The run time of the fast path is needed, and a measurement shows that it is faster; results differ "
                "slightly without it.",
    .confirm = "Measure again: the number of link-time objects fell, not only the source.",
    .deadline = "enable_mathdx_* before the module's first load; enable_backward before the import of the library that "
                "holds the kernels"};
