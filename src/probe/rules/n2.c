#include <stdlib.h>

#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

#define MOST_EVIDENCE 12

/* A build of some run, in one array for all of them. */
struct seen {
  const struct kiln_model_build *build;
  const struct kiln_report_run *run;
};

struct gathered {
  struct seen *items; /* owned */
  size_t count, capacity;
};

static int
compare(const void *a, const void *b)
{
  const struct seen *left = a, *right = b;
  return kiln_facts_compare_artefact(left->build, right->build);
}

static void
gather(struct gathered *all, const struct kiln_report_run *run)
{
  for (size_t i = 0; run->model && i < run->model->build_count; i++) {
    const struct kiln_model_build *build = &run->model->builds[i];
    if (build->identity && build->source_digest && KILN_GROW(all->items, all->count, all->capacity))
      all->items[all->count++] = (struct seen){build, run};
  }
}

static void
fire(struct kiln_report *report, const struct seen *one, const struct seen *other, size_t differing)
{
  struct kiln_finding *finding = kiln_finding_add(report, "N-2");
  const struct seen *const both[] = {one, other};
  kiln_finding_sentence(report, finding,
      "module `%s` was generated as different source under one identity (%.7s): what the driver or another cache keeps "
      "by source misses, and builds cannot be compared.",
      one->build->module ? one->build->module : "?", one->build->identity);
  for (int i = 0; i < 2; i++) {
    const struct kiln_model_build *build = both[i]->build;
    kiln_finding_evidence(report, finding, "process %d generated %llu bytes with digest %s", build->pid,
        (unsigned long long)build->source_bytes, build->source_digest);
    kiln_finding_event(report, finding, both[i]->run, "compile", build->pid, build->tid, build->start_ns,
        build->wall_ns, build->module, build->where);
    kiln_finding_where(report, finding, build->where);
  }
  if (differing > 1)
    kiln_finding_evidence(report, finding, "the same holds for %zu identities", differing);
  const int version = kiln_facts_warp(one->run->model);
  kiln_finding_remedy(report, finding,
      "Make the order in which kernels and functions are declared the same in each run (no sets, no unordered "
      "folders).");
  if (version && version <= KILN_WARP_CPU_RACE) {
    kiln_finding_remedy(report, finding, "Update to Warp 1.17 or later, which sorts kernels before it generates code.");
    kiln_finding_gate(report, finding, "until Warp 1.16 the order of declarations reaches the source");
  }
}

/* Items [begin, end) are builds of one artefact; the first that differs from the first of them, or NULL. */
static const struct seen *
find_other(const struct gathered *all, size_t begin, size_t end)
{
  for (size_t i = begin + 1; i < end; i++)
    if (!kiln_text_equal(all->items[i].build->source_digest, all->items[begin].build->source_digest))
      return &all->items[i];
  return NULL;
}

static void
examine(struct kiln_report *report, const struct gathered *all)
{
  const struct seen *one = NULL, *other = NULL;
  size_t compared = 0, identities = 0, differing = 0;
  for (size_t begin = 0, end; begin < all->count; begin = end) {
    for (end = begin + 1; end < all->count && compare(&all->items[begin], &all->items[end]) == 0; end++) {
    }
    const struct seen *found = find_other(all, begin, end);
    compared += end - begin > 1 ? end - begin : 0;
    identities += end - begin > 1;
    differing += found != NULL;
    if (found && !other) {
      one = &all->items[begin];
      other = found;
    }
  }
  if (other)
    fire(report, one, other, differing);
  else if (compared)
    kiln_finding_ruled_out(report, "N-2",
        "%zu builds of %zu identit%s, in several runs or processes, had the same "
        "source each time.",
        compared, identities, identities == 1 ? "y" : "ies");
  else if (all->count)
    kiln_finding_not_reached(report, "N-2", "the same build a second time: --samples 2 or more",
        "each identity was generated once, so there is nothing to compare.");
  else
    kiln_finding_ruled_out(report, "N-2", "no source was generated.");
}

static void
run(struct kiln_report *report)
{
  struct gathered all = {0};
  bool any = false;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    gather(&all, &sample->cold);
    gather(&all, &sample->warm);
    any = any || sample->cold.model;
  }
  if (all.count)
    qsort(all.items, all.count, sizeof *all.items, compare);
  if (any)
    examine(report, &all);
  free(all.items);
}

const struct kiln_rule kiln_rule_n2 = {.id = "N-2",
    .title = "one identity, different generated source",
    .run = run,
    .confirm = "Measure again with two samples or more: one digest for each identity.",
    .correctness = true};
