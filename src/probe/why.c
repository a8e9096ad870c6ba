/* Which identities differ between two reports, and in what. */
#include "probe/why.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/report/identities.h"
#include "probe/report/work.h"
#include "probe/rules/churn.h"

/* An identity that the cold runs of an arm used. */
struct use {
  struct kiln_use of;
  const char *digest;
  bool taken; /* it explained another one */
};

struct side {
  const struct kiln_report *report;
  struct use *uses; /* sorted, each once */
  size_t count, capacity;
  struct kiln_model_hash *tables;
  size_t table_count;
  bool failed;
};

struct comparing {
  struct side now, then;
  struct kiln_arena *arena;
  struct kiln_why why;
  size_t capacity;
  bool failed;
};

/* ---- one side ---- */

static int
order(const void *left, const void *right)
{
  const struct use *a = left, *b = right;
  return kiln_order_use(&a->of, &b->of);
}

/* With a digest before without one: the first of equal rows stays. */
static int
order_digest(const void *left, const void *right)
{
  const struct use *a = left, *b = right;
  const int o = order(a, b);
  return o ? o : (a->digest == NULL) - (b->digest == NULL);
}

static void
add(struct side *side, struct use use)
{
  if (!use.of.module || !use.of.identity || side->failed)
    return;
  if (KILN_GROW(side->uses, side->count, side->capacity))
    side->uses[side->count++] = use;
  else
    side->failed = true;
}

static void
gather_run(struct side *side, const struct kiln_model *model)
{
  for (size_t i = 0; i < model->build_count; i++)
    add(side, (struct use){kiln_use_of_build(&model->builds[i]), model->builds[i].source_digest, false});
  for (size_t i = 0; i < model->load_count; i++)
    add(side, (struct use){kiln_use_of_load(&model->loads[i]), NULL, false});
}

static void
gather(struct side *side, const struct kiln_report *report, size_t arm)
{
  const struct kiln_report_arm *of = &report->arms[arm];
  bool valid = false;
  size_t kept = 0;
  side->report = report;
  for (size_t i = 0; i < of->sample_count; i++)
    valid = valid || of->samples[i].valid;
  for (size_t i = 0; i < of->sample_count; i++)
    if (of->samples[i].cold.model && (of->samples[i].valid || !valid))
      gather_run(side, of->samples[i].cold.model);
  if (side->count > 1)
    qsort(side->uses, side->count, sizeof *side->uses, order_digest);
  for (size_t i = 0; i < side->count; i++)
    if (i == 0 || order(&side->uses[i], &side->uses[kept - 1]) != 0)
      side->uses[kept++] = side->uses[i];
  side->count = kept;
  side->tables = kiln_report_identities(report, &side->table_count);
}

static void
side_release(struct side *side)
{
  free(side->uses);
  free(side->tables);
}

static struct use *
find_same(const struct side *side, const struct use *use)
{
  return side->count ? bsearch(use, side->uses, side->count, sizeof *side->uses, order) : NULL;
}

static const struct kiln_model_hash *
find_table(const struct side *side, const struct use *use)
{
  for (size_t i = 0; i < side->table_count; i++)
    if (kiln_text_equal(side->tables[i].identity, use->of.identity) &&
        kiln_text_equal(side->tables[i].module, use->of.module))
      return &side->tables[i];
  return NULL;
}

/* Length of a module's name without the hash that a module of one kernel carries at its end. */
static size_t
stem(const char *module)
{
  const char *at = strrchr(module, '_');
  size_t digits = 0;
  while (at && isxdigit((unsigned char)at[1 + digits]))
    digits++;
  return at && at > module && digits >= 7 && at[1 + digits] == '\0' ? (size_t)(at - module) : strlen(module);
}

static bool
same_module(const struct use *a, const struct use *b)
{
  const size_t len = stem(a->of.module);
  return kiln_text_equal(a->of.framework, b->of.framework) && kiln_order_device_kind(a->of.device, b->of.device) == 0 &&
         len == stem(b->of.module) && strncmp(a->of.module, b->of.module, len) == 0;
}

/* ---- reasons ---- */

static struct kiln_why_module *
add_module(struct comparing *comparing, const struct use *use, const char *from, const char *to)
{
  struct kiln_why *why = &comparing->why;
  if (!KILN_GROW(why->modules, why->module_count, comparing->capacity)) {
    comparing->failed = true;
    return NULL;
  }
  struct kiln_arena *arena = comparing->arena;
  why->modules[why->module_count] = (struct kiln_why_module){.framework = kiln_arena_strdup(arena, use->of.framework),
      .module = kiln_arena_strdup(arena, use->of.module),
      .device = kiln_arena_strdup(arena, use->of.device),
      .block_dim = use->of.block_dim,
      .from = kiln_arena_strdup(arena, from),
      .to = kiln_arena_strdup(arena, to)};
  return &why->modules[why->module_count++];
}

/* Room for the reasons comes from add_reasons; what stands alone takes room for one. */
static void
add_reason(struct comparing *comparing, struct kiln_why_module *module, struct kiln_why_reason reason)
{
  struct kiln_arena *arena = comparing->arena;
  if (!module || !module->reasons)
    return;
  module->reasons[module->reason_count++] = (struct kiln_why_reason){reason.kind, kiln_arena_strdup(arena, reason.name),
      kiln_arena_strdup(arena, reason.before), kiln_arena_strdup(arena, reason.after)};
}

static void
add_only(struct comparing *comparing, struct kiln_why_module *module, enum kiln_why_kind kind)
{
  if (!module)
    return;
  module->reasons = kiln_arena_alloc(comparing->arena, sizeof *module->reasons);
  add_reason(comparing, module, (struct kiln_why_reason){.kind = kind});
}

static void
add_causes(struct comparing *comparing, struct kiln_why_module *module, const struct kiln_churn *churn, bool block)
{
  static const enum kiln_why_kind kinds[] = {[KILN_CAUSE_ADDED] = KILN_WHY_KERNEL_NEW,
      [KILN_CAUSE_CHANGED] = KILN_WHY_KERNEL_CHANGED,
      [KILN_CAUSE_REMOVED] = KILN_WHY_KERNEL_GONE,
      [KILN_CAUSE_OPTION] = KILN_WHY_OPTION};
  for (size_t i = 0; i < churn->cause_count; i++) {
    const struct kiln_cause *cause = &churn->causes[i];
    if (block && cause->kind == KILN_CAUSE_OPTION && kiln_text_equal(cause->name, "block_dim"))
      continue; /* said already */
    add_reason(
        comparing, module, (struct kiln_why_reason){kinds[cause->kind], cause->name, cause->before, cause->after});
  }
}

/* What is left when neither kernels nor options nor the block size differ. */
static void
add_rest(struct comparing *comparing, struct kiln_why_module *module, const struct use *from, const struct use *to,
    bool recorded)
{
  const char *before = comparing->then.report->framework, *after = comparing->now.report->framework;
  const bool source = from->digest && to->digest && !kiln_text_equal(from->digest, to->digest);
  if (!kiln_text_equal(before, after))
    add_reason(comparing, module, (struct kiln_why_reason){KILN_WHY_VERSION, NULL, before, after});
  if (module->reason_count == 0 && !recorded)
    add_reason(comparing, module, (struct kiln_why_reason){.kind = KILN_WHY_NOT_RECORDED});
  else if (module->reason_count == 0)
    add_reason(comparing, module, (struct kiln_why_reason){.kind = source ? KILN_WHY_SOURCE : KILN_WHY_UNEXPLAINED});
}

static void
explain(struct comparing *comparing, const struct use *from, const struct use *to)
{
  const struct kiln_model_hash *old = find_table(&comparing->then, from), *new = find_table(&comparing->now, to);
  const bool block = from->of.block_dim != to->of.block_dim;
  struct kiln_churn churn = {0};
  struct kiln_why_module *module = add_module(comparing, to, from->of.identity, to->of.identity);
  if (!module)
    return;
  if (old && new)
    kiln_churn_diff(&churn, old, new);
  module->reasons = kiln_arena_alloc(comparing->arena, (churn.cause_count + 3) * sizeof *module->reasons);
  if (module->reasons) {
    char before[16], after[16];
    snprintf(before, sizeof before, "%d", from->of.block_dim);
    snprintf(after, sizeof after, "%d", to->of.block_dim);
    if (block)
      add_reason(comparing, module, (struct kiln_why_reason){KILN_WHY_BLOCK_SIZE, NULL, before, after});
    add_causes(comparing, module, &churn, block);
    add_rest(comparing, module, from, to, old && new);
  }
  free(churn.causes);
}

/* How far two identities are apart: fewer differences first, then the same block size. */
static size_t
distance(const struct comparing *comparing, const struct use *from, const struct use *to)
{
  const struct kiln_model_hash *old = find_table(&comparing->then, from), *new = find_table(&comparing->now, to);
  struct kiln_churn churn = {0};
  if (old && new)
    kiln_churn_diff(&churn, old, new);
  const size_t causes = old && new ? churn.cause_count : 1000;
  free(churn.causes);
  return 2 * causes + (from->of.block_dim != to->of.block_dim);
}

/* The earlier identity that this one most likely took the place of; one that is still in use only when no other is. */
static struct use *
find_earlier(struct comparing *comparing, const struct use *to)
{
  struct use *best = NULL;
  size_t least = 0;
  for (size_t i = 0; i < comparing->then.count; i++) {
    struct use *from = &comparing->then.uses[i];
    if (!same_module(from, to))
      continue;
    const bool in_use = from->taken || find_same(&comparing->now, from);
    const size_t far = distance(comparing, from, to) + (in_use ? 100000 : 0);
    if (!best || far < least) {
      best = from;
      least = far;
    }
  }
  return best;
}

static void
compare_one(struct comparing *comparing, const struct use *to)
{
  const struct use *same = find_same(&comparing->then, to);
  struct use *from;
  if (same) {
    if (!same->digest || !to->digest || kiln_text_equal(same->digest, to->digest))
      comparing->why.same++;
    else
      add_only(comparing, add_module(comparing, to, same->of.identity, to->of.identity), KILN_WHY_SOURCE);
    return;
  }
  from = find_earlier(comparing, to);
  if (from) {
    from->taken = true;
    explain(comparing, from, to);
  } else {
    add_only(comparing, add_module(comparing, to, NULL, to->of.identity), KILN_WHY_MODULE_NEW);
  }
}

/* Earlier modules that are nowhere now. */
static void
find_gone(struct comparing *comparing)
{
  for (size_t i = 0; i < comparing->then.count; i++) {
    const struct use *from = &comparing->then.uses[i];
    bool there = from->taken;
    for (size_t j = 0; j < comparing->now.count && !there; j++)
      there = same_module(from, &comparing->now.uses[j]);
    if (!there)
      add_only(comparing, add_module(comparing, from, from->of.identity, NULL), KILN_WHY_MODULE_GONE);
  }
}

/* The list into the arena. */
static struct kiln_why *
keep(struct comparing *comparing)
{
  struct kiln_arena *arena = comparing->arena;
  struct kiln_why *why = kiln_arena_alloc(arena, sizeof *why);
  const size_t size = comparing->why.module_count * sizeof *why->modules;
  struct kiln_why_module *modules = size ? kiln_arena_alloc(arena, size) : NULL;
  if (modules)
    memcpy(modules, comparing->why.modules, size);
  if (why)
    *why = comparing->why;
  if (why)
    why->modules = modules;
  return arena->failed ? NULL : why;
}

enum kiln_status
kiln_why_find(const struct kiln_report *report, size_t arm, const struct kiln_report *earlier, size_t earlier_arm,
    const char *than, struct kiln_arena *arena, struct kiln_why **why, struct kiln_error *error)
{
  struct comparing comparing = {.arena = arena};
  *why = NULL;
  comparing.why.than = kiln_arena_strdup(arena, than);
  gather(&comparing.now, report, arm);
  gather(&comparing.then, earlier, earlier_arm);
  for (size_t i = 0; i < comparing.now.count; i++)
    compare_one(&comparing, &comparing.now.uses[i]);
  find_gone(&comparing);
  if (!comparing.failed && !comparing.now.failed && !comparing.then.failed && !arena->failed)
    *why = keep(&comparing);
  side_release(&comparing.now);
  side_release(&comparing.then);
  free(comparing.why.modules);
  return *why ? KILN_OK : kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for comparing identities.");
}
