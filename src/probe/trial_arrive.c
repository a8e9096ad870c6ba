#include "probe/trial_arrive.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "probe/report/work.h"

#define UNIQUE_DIGITS 8 /* behind the name of a module of one kernel: the beginning of its hash */
#define IDENTITY_SHOWN 10
#define ANCESTORS_MOST 16
#define BUILT_ITSELF "the program built it itself" /* as agents/python/lever_ahead.py says it */
#define BESIDE "the program built it while others built other modules"
#define BY_THREADS "built by several threads at once"
#define BUILDER                                                                                                        \
  "_kiln_builder" /* in the command line of the process that builds ahead (agents/python/lever_start.py) */

static bool
is_made(const struct kiln_model_build *build)
{
  return build->result == KILN_BUILD_COMPILED && build->module && build->identity;
}

/* The name without the hash that a module of one kernel has in it, which moves with the options. */
static size_t
stem_of(const char *module)
{
  const size_t len = strlen(module);
  size_t digits = 0;
  while (digits < len && isxdigit((unsigned char)module[len - 1 - digits])) {
    digits++;
  }
  return digits == UNIQUE_DIGITS && len > digits + 1 && module[len - digits - 1] == '_' ? len - digits - 1 : len;
}

static bool
same_module(const char *a, const char *b)
{
  const size_t stem_a = stem_of(a), stem_b = stem_of(b);
  return kiln_text_equal(a, b) || (stem_a < strlen(a) && stem_a == stem_b && memcmp(a, b, stem_a) == 0);
}

static bool
same_place(const struct kiln_model_build *a, const struct kiln_model_build *b)
{
  return same_module(a->module, b->module) && kiln_order_device_kind(a->device, b->device) == 0 &&
         a->block_dim == b->block_dim;
}

static const struct kiln_model_process *
process_of(const struct kiln_model *model, int pid)
{
  for (size_t i = 0; i < model->process_count; i++) {
    if (model->processes[i].pid == pid) {
      return &model->processes[i];
    }
  }
  return NULL;
}

static bool
loads(const struct kiln_model *model, int pid)
{
  for (size_t i = 0; i < model->load_count; i++) {
    if (model->loads[i].pid == pid) {
      return true;
    }
  }
  return false;
}

/* Builders compile beside the program and load nothing: the process that builds ahead with its children, and forks of
 * the program that were made to build. */
static bool
is_program(const struct kiln_model *model, int pid)
{
  const struct kiln_model_process *process = process_of(model, pid);
  if (!process || loads(model, pid)) {
    return true;
  }
  if (process->forked) {
    return false;
  }
  for (int depth = 0; process && depth < ANCESTORS_MOST; depth++) {
    if (process->command && strstr(process->command, BUILDER)) {
      return false;
    }
    process = process_of(model, process->ppid);
  }
  return true;
}

static bool
has_identity(const struct kiln_model *model, const struct kiln_model_build *like, const char *identity)
{
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (is_made(build) && same_place(build, like) && kiln_text_equal(build->identity, identity)) {
      return true;
    }
  }
  return false;
}

/* Every build of the module with the lever has an identity that no build without it had. */
static const char *
judge_identity(const struct kiln_arriving *at, const struct kiln_model_build *build, const char **after)
{
  const char *because = "it was not built at all with the lever";
  for (size_t i = 0; i < at->with->build_count; i++) {
    const struct kiln_model_build *other = &at->with->builds[i];
    if (!is_made(other) || !same_place(build, other)) {
      continue;
    }
    *after = other->identity;
    if (has_identity(at->view->cold, build, other->identity)) {
      return "its identity is that of the run without the lever: the option came too late, or the program sets it "
             "itself";
    }
    because = NULL;
  }
  return because;
}

static bool
same_identity(const struct kiln_arriving *at, const char *a, const char *b)
{
  return at->moved || kiln_text_equal(a, b);
}

static bool
was_loaded(const struct kiln_arriving *at, const struct kiln_model_build *build)
{
  for (size_t i = 0; i < at->with->load_count; i++) {
    const struct kiln_model_load *load = &at->with->loads[i];
    if (load->module && same_identity(at, load->identity, build->identity) &&
        same_module(load->module, build->module) && kiln_order_device_kind(load->device, build->device) == 0) {
      return true;
    }
  }
  return false;
}

/* The program finds what it built without the lever, and builds it no more. One that compiles ahead of time loads
 * nothing: there its own look at the cache says so. */
static const char *
judge_load(const struct kiln_arriving *at, const struct kiln_model_build *build, const char **after)
{
  bool found = was_loaded(at, build);
  for (size_t i = 0; i < at->with->build_count; i++) {
    const struct kiln_model_build *other = &at->with->builds[i];
    if (!other->module || !other->identity || !same_place(build, other) ||
        !same_identity(at, other->identity, build->identity) || !is_program(at->with, other->pid)) {
      continue;
    }
    if (other->result == KILN_BUILD_COMPILED) {
      return BUILT_ITSELF;
    }
    found = found || other->result == KILN_BUILD_CACHED;
  }
  *after = found && !at->moved ? build->identity : NULL;
  return found ? NULL : "nothing of this identity was loaded with the lever";
}

/* Headers made inside builds of the program. */
static size_t
headers_of(const struct kiln_model *model)
{
  size_t n = 0;
  for (size_t i = 0; i < model->build_count; i++) {
    n += model->builds[i].pch.wall_ns > 0 && is_program(model, model->builds[i].pid);
  }
  return n;
}

static const char *
judge_header(const struct kiln_arriving *at, const struct kiln_model_build *build, const char **after)
{
  const bool had = headers_of(at->view->cold) > 0, has = headers_of(at->with) > 0;
  if (judge_identity(at, build, after) == NULL) {
    return NULL;
  }
  if (had != has) {
    return NULL;
  }
  return has ? "a precompiled header was made all the same" : "no precompiled header was made";
}

static const char *
judge(const struct kiln_arriving *at, const struct kiln_model_build *build, const char **after)
{
  switch (at->lever->arrival) {
  case KILN_ARRIVAL_IDENTITY:
    return judge_identity(at, build, after);
  case KILN_ARRIVAL_HEADER:
    return judge_header(at, build, after);
  case KILN_ARRIVAL_LOAD:
  case KILN_ARRIVAL_LINK:
    break;
  }
  return judge_load(at, build, after);
}

/* What the agent says of this lever and module, or of the process when module is NULL; NULL: nothing of that state. */
static const char *
told(const struct kiln_arriving *at, const char *state, const char *module)
{
  const char *id = kiln_text_starts(at->lever->id, "prebuild") ? "prebuild" : at->lever->id;
  for (size_t i = 0; i < at->with->lever_count; i++) {
    const struct kiln_model_lever *said = &at->with->levers[i];
    if (kiln_text_equal(said->id, id) && kiln_text_equal(said->state, state) &&
        (module ? said->module && same_module(said->module, module) : !said->module)) {
      return said->detail ? said->detail : "without a reason";
    }
  }
  return NULL;
}

static bool
is_first(const struct kiln_model *model, size_t at)
{
  for (size_t i = 0; i < at; i++) {
    if (is_made(&model->builds[i]) && model->builds[i].identity == model->builds[at].identity &&
        same_place(&model->builds[i], &model->builds[at])) {
      return false;
    }
  }
  return true;
}

static void
add_evidence(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const struct kiln_ledger_module *row)
{
  struct kiln_buf text, device;
  char label[KILN_DEVICE_LABEL];
  kiln_buf_init(&text);
  kiln_buf_init(&device);
  kiln_buf_printf(&text, "%s on %s: %.*s", row->module, kiln_device_label(label, row->device, row->block_dim),
      IDENTITY_SHOWN, row->before ? row->before : "?");
  if (row->after && !kiln_text_equal(row->after, row->before)) {
    kiln_buf_printf(&text, " became %.*s", IDENTITY_SHOWN, row->after);
  }
  kiln_buf_printf(&text, "%s%s", row->arrived ? "" : " was missed: ", row->arrived ? "" : row->because);
  kiln_ledger_evidence(ledger, entry, kiln_buf_text(&text));
  kiln_buf_release(&device);
  kiln_buf_release(&text);
}

/* Built by the program, but by several threads at once, or while others built other modules: that is the lever too.
 * Not where the builder of this module failed. */
static const char *
shared_build(const struct kiln_arriving *at, const char *because, const char *module)
{
  if (!kiln_text_equal(because, BUILT_ITSELF) || told(at, "failed", module)) {
    return NULL;
  }
  if (kiln_text_equal(told(at, "applied", module), "threads")) {
    return BY_THREADS;
  }
  return kiln_text_equal(told(at, "missed", module), BUILT_ITSELF) ? BESIDE : NULL;
}

/* Why a module was missed, as its builder says it, else the program; NULL where that says no more than because. */
static const char *
detail_of(const struct kiln_arriving *at, const char *because, const char *module)
{
  const char *detail = told(at, "failed", module);
  detail = detail ? detail : told(at, "missed", module);
  return kiln_text_equal(detail, because) ? NULL : detail;
}

/* A program that built all of them itself had nobody beside it. */
static void
settle_beside(struct kiln_ledger_entry *entry)
{
  bool any = false;
  for (size_t i = 0; i < entry->module_count; i++) {
    any = any || (entry->modules[i].arrived && !kiln_text_equal(entry->modules[i].because, BESIDE));
  }
  for (size_t i = 0; !any && i < entry->module_count; i++) {
    if (entry->modules[i].arrived) {
      entry->modules[i].arrived = false;
      entry->modules[i].because = BUILT_ITSELF;
      entry->missed++;
    }
  }
}

static void
add_row(const struct kiln_arriving *at, const struct kiln_model_build *build, struct kiln_ledger *ledger,
    struct kiln_ledger_entry *entry)
{
  const char *after = NULL, *because = judge(at, build, &after), *detail, *shared;
  struct kiln_ledger_module *row;
  if (!KILN_GROW(entry->modules, entry->module_count, entry->module_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  row = &entry->modules[entry->module_count++];
  shared = shared_build(at, because, build->module);
  because = shared ? NULL : because;
  detail = because ? detail_of(at, because, build->module) : NULL;
  *row = (struct kiln_ledger_module){.module = kiln_ledger_text(ledger, "%s", build->module),
      .device = kiln_ledger_text(ledger, "%s", build->device ? build->device : "cpu"),
      .block_dim = build->block_dim,
      .before = kiln_ledger_text(ledger, "%s", build->identity),
      .after = after ? kiln_ledger_text(ledger, "%s", after) : NULL,
      .arrived = !because,
      .because = detail    ? kiln_ledger_text(ledger, "%s (%s)", because, detail)
                 : because ? because
                           : shared};
  entry->missed += because != NULL;
  add_evidence(ledger, entry, row);
}

/* A link-time object is found, or no longer looked for, and not built by the program. */
static void
add_link(const struct kiln_arriving *at, const struct kiln_model_link *link, struct kiln_ledger *ledger,
    struct kiln_ledger_entry *entry)
{
  struct kiln_ledger_module *row;
  bool built = false;
  for (size_t i = 0; i < at->with->link_count; i++) {
    const struct kiln_model_link *other = &at->with->links[i];
    built = built || (other->result == KILN_BUILD_COMPILED && kiln_text_equal(other->symbol, link->symbol) &&
                         is_program(at->with, other->pid));
  }
  if (!KILN_GROW(entry->modules, entry->module_count, entry->module_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  row = &entry->modules[entry->module_count++];
  *row = (struct kiln_ledger_module){.module = kiln_ledger_text(ledger, "%s", link->symbol ? link->symbol : "?"),
      .device = "link",
      .arrived = !built,
      .because = built ? BUILT_ITSELF : NULL};
  entry->missed += built;
}

static void
add_links(const struct kiln_arriving *at, struct kiln_ledger *ledger, struct kiln_ledger_entry *entry)
{
  for (size_t i = 0; i < at->view->cold->link_count; i++) {
    if (at->view->cold->links[i].result == KILN_BUILD_COMPILED) {
      add_link(at, &at->view->cold->links[i], ledger, entry);
    }
  }
}

bool
kiln_trial_arrived(const struct kiln_arriving *arriving, struct kiln_ledger *ledger, struct kiln_ledger_entry *entry,
    const char **because)
{
  const struct kiln_lever *lever = arriving->lever;
  const struct kiln_model *without = arriving->view->cold;
  const char *failed = told(arriving, "failed", NULL);
  *because = failed ? kiln_ledger_text(ledger, "%s", failed) : NULL;
  if (lever->arrival == KILN_ARRIVAL_LINK) {
    add_links(arriving, ledger, entry);
  }
  for (size_t i = 0; i < without->build_count && lever->arrival != KILN_ARRIVAL_LINK; i++) {
    const struct kiln_model_build *build = &without->builds[i];
    if (is_made(build) && is_first(without, i) && (!lever->meant || lever->meant(arriving->view, build))) {
      add_row(arriving, build, ledger, entry);
    }
  }
  settle_beside(entry);
  return entry->module_count > 0 && entry->missed == 0;
}
