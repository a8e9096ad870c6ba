#include <stdlib.h>

#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define LEAST_MODULES 3
#define MOST_EVIDENCE 12

/* Of a module that is named after the hash of its one kernel. */
static const struct kiln_model_declaration *
unique_declaration(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  for (size_t i = 0; i < artefacts->model->declaration_count; i++) {
    const struct kiln_model_declaration *declaration = &artefacts->model->declarations[i];
    if (declaration->unique && kiln_text_equal(declaration->module, artefact->build->module))
      return declaration;
  }
  return NULL;
}

static bool
is_before_first_use(const struct kiln_model *model, const struct kiln_model_declaration *declaration)
{
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].pid == declaration->pid && model->builds[i].start_ns < declaration->t_ns)
      return false;
  return true;
}

/* Stable: written down once, and known before anything was launched. What a factory or a request makes is kept apart on
 * purpose. */
static bool
is_stable(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  const struct kiln_model_declaration *declaration = unique_declaration(artefacts, artefact);
  return declaration && !declaration->code && kiln_facts_is_users(declaration->where) &&
         is_before_first_use(artefacts->model, declaration);
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, size_t stable)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-9");
  uint64_t sum = 0, dearest = 0;
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "%zu kernels that were known before the first launch have a module each (`module=\"unique\"`): each was built "
      "alone.",
      stable);
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!is_stable(artefacts, artefact))
      continue;
    sum += artefact->own_ns;
    dearest = artefact->own_ns > dearest ? artefact->own_ns : dearest;
    if (shown++ >= MOST_EVIDENCE)
      continue;
    kiln_finding_build(report, finding, artefacts->run, artefact->build);
    kiln_finding_where(report, finding, unique_declaration(artefacts, artefact)->where);
  }
  kiln_finding_remedy(report, finding, "Declare the kernels without `module=\"unique\"`, at module scope.");
  kiln_finding_remedy(report, finding, "Give kernels that live together one module by name (`module=\"name\"`).");
  if (finding) {
    const double floors = report->diagnosis.floor_s * (double)(stable - 1);
    finding->saves_at_most_s = (double)(sum - dearest) / 1e9;
    if (report->diagnosis.floor_s > 0 && floors < finding->saves_at_most_s)
      finding->saves_at_most_s = floors;
  }
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  size_t unique = 0, stable = 0;
  for (size_t i = 0; i < artefacts->count; i++) {
    unique += unique_declaration(artefacts, &artefacts->items[i]) != NULL;
    stable += is_stable(artefacts, &artefacts->items[i]);
  }
  if (stable >= LEAST_MODULES)
    fire(report, artefacts, stable);
  else if (unique)
    kiln_finding_ruled_out(report, "CS-9",
        "%zu kernel%s a module of %s own, and %zu of them %s written at module scope and known before the first "
        "launch in the program's own files; the others are made while it runs or belong to a library.",
        unique, unique == 1 ? " has" : "s have", unique == 1 ? "its" : "their", stable, stable == 1 ? "is" : "are");
  else
    kiln_finding_ruled_out(report, "CS-9", "no kernel has a module of its own (`module=\"unique\"`).");
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-9"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs9 = {.id = "CS-9",
    .title = "a module for each stable kernel",
    .run = run,
    .not_when = "What the kernels capture, or how long they live, would keep invalidating a shared module.",
    .confirm = "Measure again: fewer builds and identities, the same launches.",
    .deadline = "where the kernels are declared"};
