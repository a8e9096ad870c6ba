#include "op/tool/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "kiln/cache.h"
#include "op/tool/trial.h"

enum { MOST_KERNELS = 4096 };

/* What a walk has seen: different shapes may lead to one kernel. */
struct walk {
  char *seen[MOST_KERNELS];
  size_t count;
  bool failed;
};

/* true the first time. */
static bool
is_new(struct walk *walk, const char *uri)
{
  for (size_t i = 0; i < walk->count; i++)
    if (strcmp(walk->seen[i], uri) == 0)
      return false;
  const size_t size = strlen(uri) + 1;
  char *copy = walk->count < MOST_KERNELS ? malloc(size) : NULL;
  walk->failed = walk->failed || !copy;
  if (copy)
    walk->seen[walk->count++] = memcpy(copy, uri, size);
  return copy != NULL;
}

/* The variants whose needs a shape meets: alignment differs from call to call, so faster and slower ones are listed. */
static bool
fits(const struct kiln_variant *variant, const struct kiln_trial *trial)
{
  for (const struct kiln_rule *rule = variant->needs; rule && rule->kind; rule++)
    if (!kiln_op_rule_holds(rule, trial->axis, trial->given | trial->set))
      return false;
  return true;
}

static bool
visit_shape(struct walk *walk, const struct kiln_trial *trial, const struct kiln_target *target,
    bool (*visit)(void *context, const struct kiln_ahead *ahead), void *context)
{
  struct kiln_checked checked = {.op = trial->op, .given = trial->given};
  bool go_on = true;
  memcpy(checked.axis, trial->axis, sizeof checked.axis);
  memcpy(checked.type, trial->type, sizeof checked.type);
  for (unsigned v = 0; v < trial->op->nvariants && go_on; v++) {
    struct kiln_buf uri;
    checked.variant = &trial->op->variants[v];
    if (!kiln_variant_runs_on(checked.variant, target) || !fits(checked.variant, trial))
      continue;
    kiln_buf_init(&uri);
    kiln_variant_uri(&checked, target, trial->values, &uri);
    const struct kiln_ahead ahead = {&checked, trial->values, target, kiln_buf_text(&uri)};
    if (is_new(walk, kiln_buf_text(&uri)))
      go_on = visit(context, &ahead);
    kiln_buf_release(&uri);
  }
  return go_on && !walk->failed;
}

enum kiln_status
kiln_ahead_list(const struct kiln_op *op, const struct kiln_target *target,
    bool (*visit)(void *context, const struct kiln_ahead *ahead), void *context, struct kiln_error *error)
{
  struct walk *walk = calloc(1, sizeof *walk);
  bool go_on = walk != NULL;
  uint8_t type[KILN_OP_TYPES];
  for (unsigned shape = 0; shape < op->nbenches && go_on; shape++)
    for (unsigned row = 0; go_on && kiln_trial_types(op, row, type); row++) {
      struct kiln_trial trial;
      kiln_trial_init(&trial, NULL, op, &op->benches[shape]);
      memcpy(trial.type, type, sizeof type);
      trial.shapes_only = true;
      if (kiln_trial_make(&trial, NULL) == KILN_OK)
        go_on = visit_shape(walk, &trial, target, visit, context);
      kiln_trial_release(&trial);
    }
  const bool failed = !walk || walk->failed;
  for (size_t i = 0; walk && i < walk->count; i++)
    free(walk->seen[i]);
  free(walk);
  return failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the kernels of '%s'", op->name)
                : KILN_OK;
}

enum kiln_status
kiln_ahead_build(
    struct kiln *kiln, const struct kiln_ahead *ahead, enum kiln_result *result, double *ms, struct kiln_error *error)
{
  struct kiln_ops *ops;
  struct kiln_spec *spec;
  char key[65], *path = NULL;
  enum kiln_status status = kiln_ops_of(kiln, &ops, error);
  if (status != KILN_OK)
    return status;
  status = kiln_kernel_spec(kiln_ops_sources(ops), ahead->checked, ahead->target, ahead->values, &spec, error);
  if (status != KILN_OK)
    return status;
  status = kiln_cache_build(kiln, spec, result, key, &path, ms, error);
  kiln_cache_text_free(path);
  kiln_spec_free(spec);
  return status;
}
