#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12
/* Worth a word: of the CPU time of all builds, of the run's, and absolutely; where a precompiled header was made, that
 * is the yardstick, because it does not depend on how fast the machine is. */
#define LEAST_OF_BUILDS 0.1
#define LEAST_OF_RUN 0.05
#define LEAST_OF_HEADER (1.0 / 3)
#define LEAST_CPU_S 0.3
/* The same of link-time objects, as in CS-7. */
#define LEAST_LINKS_S 0.5

/* *_cpu_s: by the share of the source, which real programs show to be right within a tenth. */
struct unused {
  size_t modules, unknown; /* with backward code, launched forward only; and never launched at all */
  uint64_t own_ns;
  double backward_cpu_s, unknown_cpu_s;
  size_t linked;     /* modules whose kernels have no backward code, and whose option makes its objects */
  uint64_t links_ns; /* at most, of those objects: one of each module goes forward */
};

static bool
has_backward(const struct kiln_artefact *artefact)
{
  const char *option = kiln_artefact_option(artefact, "enable_backward");
  return artefact->build->backward_bytes > 0 && !kiln_text_equal(option, "False");
}

static double
share(const struct kiln_artefact *artefact)
{
  const struct kiln_model_build *build = artefact->build;
  return build->source_bytes ? (double)build->backward_bytes / (double)build->source_bytes : 0;
}

static bool
is_unused(const struct kiln_artefact *artefact)
{
  return has_backward(artefact) && artefact->forward > 0 && artefact->backward == 0;
}

static bool
is_without_header(const struct kiln_artefact *artefact)
{
  return !kiln_artefact_on_gpu(artefact) &&
         kiln_text_equal(kiln_artefact_option(artefact, "use_precompiled_headers"), "False");
}

/* CPU time that reading the framework's headers takes, where no precompiled one saves it: as much as the cheapest of
 * these builds, at most. */
static uint64_t
headers_ns(const struct kiln_artefacts *artefacts)
{
  uint64_t cheapest = 0;
  for (size_t i = 0; i < artefacts->count; i++)
    if (is_without_header(&artefacts->items[i]) && (!cheapest || artefacts->items[i].own_cpu_ns < cheapest))
      cheapest = artefacts->items[i].own_cpu_ns;
  return cheapest;
}

/* The kernel's argument removes the source of its backward pass and keeps the link-time objects; the module's option
 * removes both. What those objects took beyond the cheapest; 0: there are none. */
static uint64_t
backward_links_ns(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  const struct kiln_model_build *build = artefact->build;
  uint64_t sum = 0, least = UINT64_MAX;
  if (build->source_bytes == 0 || build->backward_bytes > 0 || build->lto < 2 ||
      !kiln_text_equal(kiln_artefact_option(artefact, "enable_backward"), "True"))
    return 0;
  for (size_t i = 0; i < artefacts->model->link_count; i++) {
    const struct kiln_model_link *link = &artefacts->model->links[i];
    if (link->pid != build->pid || !kiln_text_equal(link->module, build->module))
      continue;
    const uint64_t taken = link->result == KILN_BUILD_COMPILED ? link->wall_ns : 0;
    sum += taken;
    least = taken < least ? taken : least;
  }
  return sum > 0 ? sum - least : 0;
}

static struct unused
sum_unused(const struct kiln_artefacts *artefacts)
{
  struct unused unused = {0};
  const uint64_t headers = headers_ns(artefacts);
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    const uint64_t fixed = is_without_header(artefact) ? headers : 0;
    const double cpu_s = (double)(artefact->own_cpu_ns - fixed) / 1e9 * share(artefact);
    const uint64_t links = backward_links_ns(artefacts, artefact);
    unused.linked += links > 0;
    unused.links_ns += links;
    if (is_unused(artefact)) {
      unused.modules++;
      unused.own_ns += artefact->own_ns;
      unused.backward_cpu_s += cpu_s;
    } else if (has_backward(artefact) && artefact->forward + artefact->backward == 0) {
      unused.unknown++;
      unused.unknown_cpu_s += cpu_s;
    }
  }
  return unused;
}

static void
add_modules(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  size_t shown = 0;
  for (size_t i = 0; i < artefacts->count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!is_unused(artefact))
      continue;
    kiln_finding_build(report, finding, artefacts->run, artefact->build);
    kiln_finding_evidence(report, finding,
        "%.0f %% of the source of module `%s` is backward code; it was launched %llu time%s forward, never backward",
        share(artefact) * 100, artefact->build->module ? artefact->build->module : "?",
        (unsigned long long)artefact->forward, artefact->forward == 1 ? "" : "s");
    kiln_finding_where(report, finding, kiln_artefact_declared(artefacts, artefact));
    shown++;
  }
}

static void
add_linked(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    const uint64_t links = backward_links_ns(artefacts, artefact);
    if (links == 0)
      continue;
    kiln_finding_build(report, finding, artefacts->run, artefact->build);
    kiln_finding_evidence(report, finding,
        "the source of module `%s` has no backward code, its option enable_backward is True, and it uses %d link-time "
        "objects: those of backward passes among them, at most %.2f s of making them",
        artefact->build->module ? artefact->build->module : "?", artefact->build->lto, (double)links / 1e9);
    kiln_finding_where(report, finding, kiln_artefact_declared(artefacts, artefact));
  }
}

static void
say(struct kiln_report *report, struct kiln_finding *finding, const struct unused *unused, bool code)
{
  if (code)
    kiln_finding_sentence(report, finding,
        "backward code was generated and compiled for %zu module%s, and nothing was differentiated in this run: no "
        "tape went backward, and no kernel was launched backward.",
        unused->modules, unused->modules == 1 ? "" : "s");
  else
    kiln_finding_sentence(report, finding,
        "link-time objects of backward passes were made for %zu module%s whose kernels have no backward code: it is "
        "switched off for the kernels, and not for the module.",
        unused->linked, unused->linked == 1 ? "" : "s");
}

static void
add_remedies(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  const int version = kiln_facts_warp(artefacts->model);
  kiln_finding_remedy(report, finding,
      "For an application that never differentiates: `warp.config.enable_backward = False` at its entry point, before "
      "the import of anything that declares kernels.");
  kiln_finding_remedy(report, finding,
      "For one module: its option `enable_backward`, before its first load (`wp.set_module_options`). On tile modules "
      "the kernel's argument is not enough: it keeps the link-time objects.");
  if (version && version <= KILN_WARP_CPU_RACE)
    kiln_finding_gate(report, finding, KILN_GATE_OPTIONS);
}

/* code: the backward code is worth a word; else the objects are. */
static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct unused *unused, bool code)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-10");
  say(report, finding, unused, code);
  if (code && artefacts->model->tape_recorded)
    kiln_finding_evidence(report, finding, "%llu tapes were recorded, and none of them went backward",
        (unsigned long long)artefacts->model->tape_recorded);
  if (code) {
    kiln_finding_evidence(report, finding,
        "by its share of the source the backward code stands for about %.2f s of CPU time; with all else that is built "
        "with it %.2f s, which is the bound",
        unused->backward_cpu_s, (double)unused->own_ns / 1e9);
    add_modules(report, finding, artefacts);
  }
  add_linked(report, finding, artefacts);
  add_remedies(report, finding, artefacts);
  if (finding)
    finding->saves_at_most_s = (double)((code ? unused->own_ns : 0) + unused->links_ns) / 1e9;
}

static bool
is_worth(const struct kiln_artefacts *artefacts, double backward_cpu_s)
{
  double builds_s = 0, header_s = 0;
  if (artefacts->model->header_count)
    header_s = (double)artefacts->model->headers[0].cpu_ns / 1e9;
  for (size_t i = 0; i < artefacts->model->build_count; i++)
    if (artefacts->model->builds[i].result == KILN_BUILD_COMPILED)
      builds_s += (double)artefacts->model->builds[i].cpu_ns / 1e9;
  return backward_cpu_s >= LEAST_CPU_S && backward_cpu_s >= LEAST_OF_HEADER * header_s &&
         backward_cpu_s >= LEAST_OF_BUILDS * builds_s && backward_cpu_s >= LEAST_OF_RUN * artefacts->run->cpu_s;
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  const struct unused unused = sum_unused(artefacts);
  const struct kiln_model *model = artefacts->model;
  bool backward = model->tape_backward > 0;
  for (size_t i = 0; i < model->launch_count && !backward; i++)
    backward = kiln_text_equal(model->launches[i].direction, "backward");
  if (backward)
    kiln_finding_ruled_out(report, "CS-10",
        "the program differentiates: a tape went backward %llu time%s; without backward code the gradients would be "
        "silently wrong.",
        (unsigned long long)model->tape_backward, model->tape_backward == 1 ? "" : "s");
  else if (unused.modules && is_worth(artefacts, unused.backward_cpu_s))
    fire(report, artefacts, &unused, true);
  else if ((double)unused.links_ns / 1e9 >= LEAST_LINKS_S)
    fire(report, artefacts, &unused, false);
  else if (unused.modules && !(unused.unknown && is_worth(artefacts, unused.unknown_cpu_s)))
    kiln_finding_ruled_out(report, "CS-10",
        "nothing was differentiated, but the backward code of %zu module%s is about %.2f s of CPU time: too little to "
        "matter.",
        unused.modules, unused.modules == 1 ? "" : "s", unused.backward_cpu_s);
  else if (unused.unknown)
    kiln_finding_not_reached(report, "CS-10", "a run that launches these kernels",
        "%zu module%s backward code and %s not launched in this run, so it is not known who differentiates them.",
        unused.unknown, unused.unknown == 1 ? " has" : "s have", unused.unknown == 1 ? "was" : "were");
  else
    kiln_finding_ruled_out(report, "CS-10", "no backward code was generated.");
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-10"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs10 = {.id = "CS-10",
    .title = "backward code that nobody differentiates",
    .run = run,
    .not_when =
        "A tape reaches these kernels in any use of the program: the gradient becomes silently wrong. A library "
        "has other users: one application's profile does not justify a change there.",
    .confirm = "The identity of every module meant must differ from before; those that did not move were imported too "
               "early. Look at link-time objects too, not only at the source.",
    .deadline = "before the Python file that holds the kernels is imported: a module copies enable_backward when it is "
                "made, and a later setting is ignored silently"};
