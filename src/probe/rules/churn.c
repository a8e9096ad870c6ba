#include "probe/rules/churn.h"

#include <stdlib.h>

#include "base/text.h"
#include "probe/report/work.h"

/* A build or a load, in one process. */
struct use {
  struct kiln_use of;
  int pid;
  uint64_t t_ns;
  const struct kiln_model_build *build; /* NULL: a load */
};

/* By module, then by process, then by time. */
static int
compare_uses(const void *a, const void *b)
{
  const struct use *left = a, *right = b;
  int order = kiln_order_module(&left->of, &right->of);
  order = order ? order : (left->pid > right->pid) - (left->pid < right->pid);
  return order ? order : (left->t_ns > right->t_ns) - (left->t_ns < right->t_ns);
}

static struct use *
list_uses(const struct kiln_model *model, size_t *count)
{
  *count = 0;
  struct use *uses = malloc((model->build_count + model->load_count + 1) * sizeof *uses);
  for (size_t i = 0; uses && i < model->build_count; i++) {
    const struct kiln_model_build *b = &model->builds[i];
    if (b->identity)
      uses[(*count)++] = (struct use){kiln_use_of_build(b), b->pid, b->start_ns, b};
  }
  for (size_t i = 0; uses && i < model->load_count; i++) {
    const struct kiln_model_load *l = &model->loads[i];
    if (l->identity)
      uses[(*count)++] = (struct use){kiln_use_of_load(l), l->pid, l->start_ns, NULL};
  }
  if (uses)
    qsort(uses, *count, sizeof *uses, compare_uses);
  return uses;
}

/* Sum of the builds of one process minus its dearest: with one identity one build would remain, the dearest at worst.
 * The precompiled header is left out: the process makes it once, however many builds there are. */
static double
saved_seconds(const struct use *uses, size_t count, size_t *builds)
{
  uint64_t sum = 0, dearest = 0;
  *builds = 0;
  for (size_t i = 0; i < count; i++) {
    if (!uses[i].build || uses[i].build->result != KILN_BUILD_COMPILED)
      continue;
    const uint64_t own = kiln_build_own_wall_ns(uses[i].build);
    sum += own;
    dearest = own > dearest ? own : dearest;
    (*builds)++;
  }
  return (double)(sum - dearest) / 1e9;
}

static bool
several_identities(const struct use *uses, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (!kiln_text_equal(uses[i].of.identity, uses[0].of.identity))
      return true;
  return false;
}

static bool
seen_before(const struct kiln_churn *churn, const char *identity)
{
  for (size_t i = 0; i < churn->sequence_count; i++)
    if (kiln_text_equal(churn->sequence[i], identity))
      return true;
  return false;
}

/* Follow one process through its identities; a return to an earlier one needs no cause, it costs no build. */
static void
follow_process(struct kiln_churn *churn, const struct kiln_model *model, const struct use *uses, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *last = churn->sequence_count ? churn->sequence[churn->sequence_count - 1] : NULL;
    if (kiln_text_equal(uses[i].of.identity, last))
      continue;
    if (!seen_before(churn, uses[i].of.identity)) {
      churn->identities++;
      if (last)
        kiln_churn_explain(churn, model, last, uses[i].of.identity, uses[i].t_ns);
    }
    if (KILN_GROW(churn->sequence, churn->sequence_count, churn->sequence_capacity))
      churn->sequence[churn->sequence_count++] = uses[i].of.identity;
  }
}

/* All uses of one module, of any process. */
static void
find_in_module(struct kiln_churns *churns, const struct kiln_model *model, const struct use *uses, size_t count)
{
  struct kiln_churn *churn = NULL;
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && uses[end].pid == uses[begin].pid; end++) {
    }
    if (!several_identities(uses + begin, end - begin))
      continue;
    size_t builds;
    const double saves = saved_seconds(uses + begin, end - begin, &builds);
    if (!churn) {
      if (!KILN_GROW(churns->items, churns->count, churns->capacity))
        return;
      churn = &churns->items[churns->count++];
      *churn = (struct kiln_churn){.framework = uses[begin].of.framework,
          .module = uses[begin].of.module,
          .device = uses[begin].of.device,
          .block_dim = uses[begin].of.block_dim,
          .pid = uses[begin].pid,
          .builds = builds};
      follow_process(churn, model, uses + begin, end - begin);
    }
    churn->processes++;
    churn->saves_at_most_s += saves;
  }
}

void
kiln_churns_find(struct kiln_churns *churns, const struct kiln_model *model)
{
  *churns = (struct kiln_churns){0};
  size_t count;
  struct use *uses = list_uses(model, &count);
  for (size_t begin = 0, end; uses && begin < count; begin = end) {
    for (end = begin + 1; end < count && kiln_order_module(&uses[begin].of, &uses[end].of) == 0; end++) {
    }
    find_in_module(churns, model, uses + begin, end - begin);
  }
  free(uses);
}

void
kiln_churns_release(struct kiln_churns *churns)
{
  for (size_t i = 0; i < churns->count; i++) {
    free(churns->items[i].sequence);
    free(churns->items[i].causes);
  }
  free(churns->items);
  *churns = (struct kiln_churns){0};
}
