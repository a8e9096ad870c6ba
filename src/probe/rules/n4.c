#include <string.h>

#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

/* The last thing that this thread asked for before the build, if it was asked for on the build's own line. */
static const struct kiln_model_moment *
find_request(const struct kiln_model *model, const struct kiln_model_build *build)
{
  const struct kiln_model_moment *found = NULL;
  for (size_t i = 0; i < model->moment_count; i++) {
    const struct kiln_model_moment *moment = &model->moments[i];
    if (!kiln_text_equal(moment->kind, "request") || moment->pid != build->pid || moment->t_ns > build->start_ns ||
        kiln_text_starts(moment->what ? moment->what : "", "capture"))
      continue;
    const bool same_line =
        kiln_text_equal(moment->where.file, build->where.file) && moment->where.line == build->where.line;
    if (same_line || (moment->workers > 1 && !build->where.file))
      found = moment;
  }
  return found;
}

/* What a library builds for its own kernels, unasked, is not this program's to change. */
static bool
is_unused(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  return !artefact->build->aot && artefact->forward + artefact->backward == 0 &&
         kiln_text_equal(artefact->build->framework, "warp") &&
         (kiln_facts_is_users(kiln_artefact_declared(artefacts, artefact)) ||
             find_request(artefacts->model, artefact->build));
}

/* Another build of the same module that was launched: then this one is the wrong variant. */
static const struct kiln_artefact *
find_used(const struct kiln_artefacts *artefacts, const struct kiln_artefact *unused)
{
  for (size_t i = 0; i < artefacts->count; i++)
    if (artefacts->items[i].forward + artefacts->items[i].backward &&
        kiln_text_equal(artefacts->items[i].build->module, unused->build->module))
      return &artefacts->items[i];
  return NULL;
}

static void
add_unused(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts,
    const struct kiln_artefact *artefact)
{
  const struct kiln_model_moment *request = find_request(artefacts->model, artefact->build);
  const struct kiln_artefact *used = find_used(artefacts, artefact);
  kiln_finding_build(report, finding, artefacts->run, artefact->build);
  kiln_finding_where(report, finding, artefact->build->where);
  if (request) {
    kiln_finding_evidence(report, finding, "it was built for `%s`%s", request->what ? request->what : "?",
        request->modules ? "" : ", which named no modules");
    kiln_finding_event(report, finding, artefacts->run, "request", request->pid, request->tid, request->t_ns,
        UINT64_MAX, request->what, request->where);
  }
  if (used && used->build->block_dim != artefact->build->block_dim)
    kiln_finding_evidence(report, finding,
        "launches use the build for block size %d: this one, for block size %d, is the second build of the same module",
        used->build->block_dim, artefact->build->block_dim);
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, size_t unused)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-4");
  uint64_t own_ns = 0;
  size_t shown = 0;
  bool wrong_size = false;
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!is_unused(artefacts, artefact))
      continue;
    const struct kiln_artefact *used = find_used(artefacts, artefact);
    wrong_size = wrong_size || (used && used->build->block_dim != artefact->build->block_dim);
    own_ns += artefact->own_ns;
    if (shown++ < MOST_EVIDENCE)
      add_unused(report, finding, artefacts, artefact);
  }
  kiln_finding_sentence(report, finding, "%zu build%s never launched: %s.", unused, unused == 1 ? " was" : "s were",
      wrong_size ? "a module was built for a block size that no launch uses, and once more for the one that they use"
                 : "a query or a preload asked for what no launch of this run uses");
  if (wrong_size)
    kiln_finding_remedy(report, finding,
        "Name the block size that the launches use where the module is loaded ahead or queried (`block_dim=`).");
  kiln_finding_remedy(
      report, finding, "Load ahead only the modules that this program launches (`modules=[…]`), not all that exist.");
  kiln_finding_remedy(report, finding, "Query a kernel's properties after its first launch, or not at all.");
  if (finding)
    finding->saves_at_most_s = (double)own_ns / 1e9;
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  const struct kiln_model *model = artefacts->model;
  size_t unused = 0;
  for (size_t i = 0; i < artefacts->count; i++)
    unused += is_unused(artefacts, &artefacts->items[i]);
  if (unused == 0)
    kiln_finding_ruled_out(
        report, "N-4", "each of %zu builds was launched, or was asked for ahead of time.", artefacts->count);
  else if (model->counts.launches == 0)
    kiln_finding_not_reached(report, "N-4", "a run that launches kernels",
        "this run built %zu module%s and launched nothing.", unused, unused == 1 ? "" : "s");
  else if (model->launch_overflow)
    kiln_finding_not_reached(report, "N-4", "a run with fewer different kernels",
        "%llu launches found no room in the table of launches, so a missing one proves nothing.",
        (unsigned long long)model->launch_overflow);
  else
    fire(report, artefacts, unused);
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "N-4"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_n4 = {.id = "N-4",
    .title = "built, never launched",
    .run = run,
    .not_when = "Another run of the same program launches it: a server that loads ahead what requests will need.",
    .confirm = "Measure again: fewer builds, the same launches.",
    .deadline = "where the query or the preload is made"};
