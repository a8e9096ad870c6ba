/* The rule of a gate that every run has the same identities. */
#include <stdlib.h>
#include <string.h>

#include "probe/gate_judge.h"
#include "probe/report/page.h"
#include "probe/report/work.h"

#define SHORT_HASH 7

/* What a run used. */
struct uses {
  struct kiln_use *items;
  size_t count, capacity;
  bool failed;
};

static int
order(const void *left, const void *right)
{
  return kiln_order_use(left, right);
}

static void
add(struct uses *uses, struct kiln_use use)
{
  if (!use.identity || uses->failed)
    return;
  if (KILN_GROW(uses->items, uses->count, uses->capacity))
    uses->items[uses->count++] = use;
  else
    uses->failed = true;
}

/* Sorted, each once. What was found in a cache is in no list of builds, so builds are told of cold runs only. */
static void
gather(struct uses *uses, const struct kiln_gated_run *run, bool builds)
{
  const struct kiln_model *model = run->run->model;
  size_t kept = 0;
  uses->count = 0;
  for (size_t i = 0; i < model->load_count; i++)
    add(uses, kiln_use_of_load(&model->loads[i]));
  for (size_t i = 0; builds && i < model->build_count; i++)
    if (model->builds[i].result != KILN_BUILD_CACHED)
      add(uses, kiln_use_of_build(&model->builds[i]));
  if (uses->count > 1)
    qsort(uses->items, uses->count, sizeof *uses->items, order);
  for (size_t i = 0; i < uses->count; i++)
    if (i == 0 || order(&uses->items[i], &uses->items[kept - 1]) != 0)
      uses->items[kept++] = uses->items[i];
  uses->count = kept;
}

/* The first identity that only one of the two has; NULL when there is none. *second: the other has it. */
static const struct kiln_use *
find_lone(const struct uses *a, const struct uses *b, bool *second)
{
  size_t i = 0, j = 0;
  while (i < a->count || j < b->count) {
    const int o = i == a->count ? 1 : j == b->count ? -1 : order(&a->items[i], &b->items[j]);
    if (o != 0) {
      *second = o > 0;
      return *second ? &b->items[j] : &a->items[i];
    }
    i++;
    j++;
  }
  return NULL;
}

/* "'sim.kernels' has identity 3f2a1b0 in the cold run of sample 1, but not in the warm run of sample 1" */
static void
tell(struct kiln_judging *judging, const struct kiln_use *use, const struct kiln_gated_run *with,
    const struct kiln_gated_run *without)
{
  char hash[SHORT_HASH + 1];
  strncpy(hash, use->identity, SHORT_HASH);
  hash[SHORT_HASH] = '\0';
  judging->rule->state = KILN_GATE_BROKEN;
  kiln_buf_text_append(judging->text, "'");
  kiln_page_clean(judging->text, use->module);
  kiln_buf_text_append(judging->text, "' has identity ");
  kiln_page_clean(judging->text, hash);
  kiln_buf_text_append(judging->text, " in ");
  kiln_gated_name(judging, with, judging->text);
  kiln_buf_text_append(judging->text, ", but not in ");
  kiln_gated_name(judging, without, judging->text);
}

/* Cold against the first cold run of its arm; warm against the cold run of its sample. */
static bool
differs(struct kiln_judging *judging, const struct kiln_gated_run *from, const struct kiln_gated_run *to,
    struct uses uses[2])
{
  bool second;
  gather(&uses[0], from, !to->warm);
  gather(&uses[1], to, !to->warm);
  const struct kiln_use *lone = find_lone(&uses[0], &uses[1], &second);
  if (lone)
    tell(judging, lone, second ? to : from, second ? from : to);
  return lone != NULL;
}

static void
judge_runs(struct kiln_judging *judging, struct uses uses[2])
{
  struct kiln_gated_run run, first = {0}, cold = {0};
  size_t compared = 0;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    const struct kiln_gated_run *from = run.warm ? &cold : &first;
    if (!run.warm && first.arm != run.arm)
      first = run;
    else if (from->run && from->arm == run.arm && (!run.warm || from->sample == run.sample)) {
      compared++;
      if (differs(judging, from, &run, uses))
        return;
    }
    if (!run.warm)
      cold = run;
  }
  judging->rule->state = compared ? KILN_GATE_KEPT : KILN_GATE_OPEN;
  if (compared)
    kiln_buf_printf(judging->text, "the same identities in %zu runs", compared + 1);
  else
    kiln_buf_text_append(judging->text, "there is one run, and nothing to hold it against");
}

void
kiln_judge_identities(struct kiln_judging *judging)
{
  struct uses uses[2] = {{0}, {0}};
  if (kiln_judging_saw_nothing(judging))
    return;
  judge_runs(judging, uses);
  if (uses[0].failed || uses[1].failed)
    judging->text->failed = true;
  free(uses[0].items);
  free(uses[1].items);
}
