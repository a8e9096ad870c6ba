#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/list.h"

/* A variant that no launch used is another defect (N-4). Ahead of time nothing is launched. */
static bool
counts(const struct kiln_artefacts *artefacts, const struct kiln_artefact *artefact)
{
  return kiln_artefact_on_gpu(artefact) &&
         (artefact->build->aot || artefacts->model->counts.launches == 0 || artefact->forward + artefact->backward > 0);
}

static bool
is_sibling(const struct kiln_artefacts *artefacts, const struct kiln_artefact *a, const struct kiln_artefact *b)
{
  return counts(artefacts, b) && kiln_text_equal(a->build->module, b->build->module) &&
         kiln_text_equal(a->build->framework, b->build->framework);
}

/* Distinct block sizes of this module's builds before index `last`. */
static size_t
sizes_of(const struct kiln_artefacts *artefacts, const struct kiln_artefact *of, size_t last)
{
  size_t sizes = 0;
  for (size_t i = 0; i < last; i++) {
    bool known = !is_sibling(artefacts, of, &artefacts->items[i]);
    for (size_t j = 0; j < i && !known; j++)
      known = is_sibling(artefacts, of, &artefacts->items[j]) &&
              artefacts->items[j].build->block_dim == artefacts->items[i].build->block_dim;
    sizes += !known;
  }
  return sizes;
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct kiln_artefact *of, size_t sizes)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-5");
  uint64_t sum = 0, dearest = 0;
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (!is_sibling(artefacts, of, artefact))
      continue;
    kiln_finding_build(report, finding, artefacts->run, artefact->build);
    kiln_finding_where(report, finding, artefact->build->where);
    kiln_buf_printf(&text, "%s%d", text.len ? ", " : "", artefact->build->block_dim);
    sum += artefact->own_ns;
    dearest = artefact->own_ns > dearest ? artefact->own_ns : dearest;
  }
  kiln_finding_sentence(report, finding,
      "module `%s` was built for %zu block sizes (%s): each block size is a build of the whole module.",
      of->build->module ? of->build->module : "?", sizes, kiln_buf_text(&text));
  kiln_buf_clear(&text);
  kiln_floor_text(report, &text);
  kiln_finding_evidence(report, finding, "%s", kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_finding_remedy(report, finding,
      "Put the kernels of each stable block size into a named module of their own (`module=\"name\"`).");
  kiln_finding_remedy(report, finding, "Launch the module's kernels with one block size, where their speed allows it.");
  if (finding)
    finding->saves_at_most_s = (double)(sum - dearest) / 1e9;
}

static void
examine(struct kiln_report *report, const struct kiln_artefacts *artefacts)
{
  bool fired = false, gpu = false;
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    gpu = gpu || kiln_artefact_on_gpu(artefact);
    /* Told at the first build of a module. */
    if (!counts(artefacts, artefact) || sizes_of(artefacts, artefact, i) > 0)
      continue;
    const size_t sizes = sizes_of(artefacts, artefact, artefacts->count);
    if (sizes > 1)
      fire(report, artefacts, artefact, sizes);
    fired = fired || sizes > 1;
  }
  if (!fired && gpu)
    kiln_finding_ruled_out(report, "CS-5", "each module that was built for a GPU was used with one block size.");
  else if (!fired)
    kiln_finding_ruled_out(report, "CS-5",
        "nothing was built for a GPU; on the CPU every launch has block size 1 unless the program asks.");
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-5"))
    examine(report, &artefacts);
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs5 = {.id = "CS-5",
    .title = "one module at several block sizes",
    .run = run,
    .not_when = "The block size is chosen while the program runs: keep such kernels apart; on the CPU it makes things "
                "worse.",
    .confirm = "Measure again: each module has one block size, and source bytes fell.",
    .deadline = "where the kernels are declared"};
