#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define LEAST_MODULES 4
#define MOST_EVIDENCE 12

static uint64_t
first_use_ns(const struct kiln_model *model, int pid)
{
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].pid == pid && model->builds[i].start_ns < first)
      first = model->builds[i].start_ns;
  return first;
}

/* Was everything of the module written down, not made by a factory, before the process used its first module? Only
 * then it was known that these kernels live together. */
static bool
is_known_early(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  const struct kiln_model *model = artefacts->model;
  const uint64_t first = first_use_ns(model, artefact->build->pid);
  bool any = false;
  for (size_t i = 0; i < model->declaration_count; i++) {
    const struct kiln_model_declaration *declaration = &model->declarations[i];
    if (!kiln_text_equal(declaration->module, artefact->build->module))
      continue;
    if (declaration->unique || declaration->code || declaration->t_ns > first ||
        !kiln_facts_is_users(declaration->where))
      return false;
    any = true;
  }
  return any;
}

static bool
is_granular(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  const char *module = artefact->build->module;
  return module && !strstr(module, ".dyn.") && kiln_artefact_kernels(artefact) == 1 &&
         is_known_early(artefacts, artefact);
}

/* Members of the group that `first` leads: one-kernel modules that one module could hold. */
static size_t
count_group(const struct kiln_artefacts *artefacts, const bool *granular, size_t first, size_t last)
{
  size_t count = 0;
  for (size_t i = first; i < last; i++)
    count += granular[i] && kiln_artefacts_alike(&artefacts->items[first], &artefacts->items[i]);
  return count;
}

/* What the group costs beyond its dearest member; and no more than a floor for each module that is not needed. */
static double
saved_s(const struct kiln_report *report, const struct kiln_artefacts *artefacts, const bool *granular, size_t first)
{
  uint64_t sum = 0, dearest = 0;
  size_t count = 0;
  for (size_t i = first; i < artefacts->count; i++) {
    if (!granular[i] || !kiln_artefacts_alike(&artefacts->items[first], &artefacts->items[i]))
      continue;
    const uint64_t own = artefacts->items[i].own_ns;
    sum += own;
    dearest = own > dearest ? own : dearest;
    count++;
  }
  const double saves = (double)(sum - dearest) / 1e9, floor_s = report->diagnosis.floor_s;
  return floor_s > 0 && floor_s * (double)(count - 1) < saves ? floor_s * (double)(count - 1) : saves;
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const bool *granular, size_t first,
    size_t count)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-4");
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "%zu modules of one kernel each were built one by one, with the same options and for the same device: one module "
      "could hold all of them.",
      count);
  for (size_t i = first; i < artefacts->count && shown < MOST_EVIDENCE; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!granular[i] || !kiln_artefacts_alike(&artefacts->items[first], artefact))
      continue;
    kiln_finding_build(report, finding, artefacts->run, artefact->build);
    kiln_finding_where(report, finding, kiln_artefact_declared(artefacts, artefact));
    shown++;
  }
  if (count > shown)
    kiln_finding_evidence(report, finding, "and %zu more modules of one kernel", count - shown);
  struct kiln_buf floor_text;
  kiln_buf_init(&floor_text);
  kiln_floor_text(report, &floor_text);
  kiln_finding_evidence(report, finding, "%s", kiln_buf_text(&floor_text));
  kiln_buf_release(&floor_text);
  kiln_finding_remedy(report, finding,
      "Put kernels that live together into one module: one Python file, or `@wp.kernel(module=\"name\")` with one "
      "name.");
  if (finding)
    finding->saves_at_most_s = saved_s(report, artefacts, granular, first);
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts, bool *granular)
{
  size_t best = 0, single = 0;
  bool fired = false;
  for (size_t i = 0; i < artefacts->count; i++) {
    granular[i] = is_granular(artefacts, &artefacts->items[i]);
    single += granular[i];
  }
  for (size_t i = 0; i < artefacts->count; i++) {
    if (!granular[i] || count_group(artefacts, granular, i, artefacts->count) < LEAST_MODULES)
      continue;
    bool seen = false;
    for (size_t j = 0; j < i && !seen; j++)
      seen = granular[j] && kiln_artefacts_alike(&artefacts->items[j], &artefacts->items[i]);
    if (seen)
      continue;
    best = count_group(artefacts, granular, i, artefacts->count);
    fire(report, artefacts, granular, i, best);
    fired = true;
  }
  if (!fired)
    kiln_finding_ruled_out(report, "CS-4",
        "%zu of %zu built modules hold one kernel that was declared at module scope before the first launch; it takes "
        "%d with the same options to merge.",
        single, artefacts->count, LEAST_MODULES);
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  bool *granular = NULL;
  if (kiln_artefacts_find(&artefacts, report, "CS-4") && (granular = calloc(artefacts.count, sizeof *granular)) != NULL)
    examine(report, &artefacts, granular);
  free(granular);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs4 = {.id = "CS-4",
    .title = "modules too granular",
    .run = run,
    .not_when = "The kernels need different options, stable block sizes of their own, or are changed independently of "
                "each other while the program is written.",
    .confirm = "Measure again: fewer builds and identities, the same launches.",
    .deadline = "where the kernels are declared"};
