/*
 * Load: the request digest names the module in this process; what is not there is obtained as an entry, loaded and
 * checked. An entry that does not load is set aside and built once more.
 */
#include "jit/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/events.h"
#include "jit/flight.h"
#include "os/clock.h"

/* ---- watched files ---- */

static void
watch_free(struct kiln_watch *watch)
{
  while (watch) {
    struct kiln_watch *before = watch->before;
    for (size_t i = 0; i < watch->count; i++)
      free(watch->paths[i]);
    free(watch->paths);
    free(watch);
    watch = before;
  }
}

/* A header that appears in front of another is noticed by the next process. */
static bool
is_watched(const struct kiln_dependency *dependency)
{
  return dependency->root != KILN_ROOT_SYSTEM && !kiln_dependency_is_absence(dependency);
}

static size_t
own_files(const struct kiln_request_record *record)
{
  size_t count = 0;
  for (size_t i = 0; i < record->count; i++)
    count += is_watched(&record->dependencies[i]);
  return count;
}

/* As the record has them: a file that changed since it was read is not fresh from the beginning. */
static void
watch_file(struct kiln_watch *watch, const struct kiln_plan *plan, const struct kiln_dependency *dependency)
{
  struct kiln_buf path;
  struct kiln_memo_file *file = &watch->files[watch->count];
  kiln_buf_init(&path);
  kiln_text_join(&path, plan->roots[dependency->root], dependency->path);
  char *copy = path.failed ? NULL : malloc(path.len + 1);
  if (copy) {
    memcpy(copy, path.data, path.len + 1);
    *file = (struct kiln_memo_file){copy, 0, 0, 0};
    if (kiln_memo_file_look(file, copy) &&
        (file->size != dependency->size || file->inode != dependency->inode || file->mtime_ns != dependency->mtime_ns))
      file->mtime_ns = 0;
    watch->paths[watch->count++] = copy;
  }
  kiln_buf_release(&path);
}

static enum kiln_status
watch_new(const struct kiln_plan *plan, struct kiln_watch **watch, struct kiln_error *error)
{
  const size_t count = own_files(&plan->record);
  *watch = NULL;
  if (count == 0)
    return KILN_OK;
  struct kiln_watch *fresh = calloc(1, sizeof *fresh + count * sizeof fresh->files[0]);
  char **paths = calloc(count, sizeof *paths);
  if (!fresh || !paths) {
    free(fresh);
    free(paths);
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a module");
  }
  fresh->paths = paths;
  for (size_t i = 0; i < plan->record.count; i++)
    if (is_watched(&plan->record.dependencies[i]))
      watch_file(fresh, plan, &plan->record.dependencies[i]);
  *watch = fresh;
  return KILN_OK;
}

bool
kiln_module_is_fresh(const struct kiln_module *module)
{
  const struct kiln_watch *watch = atomic_load_explicit(&module->watch, memory_order_acquire);
  for (size_t i = 0; watch && i < watch->count; i++)
    if (!kiln_memo_file_same(&watch->files[i]))
      return false;
  return true;
}

/* ---- life ---- */

static void *
module_memory(const struct kiln_module *module, void *block, size_t old_size, size_t new_size)
{
  const struct kiln_options options = {
      .reallocate = module->reallocate, .allocator_context = module->allocator_context};
  return kiln_memory(&options, block, old_size, new_size);
}

struct kiln_module *
kiln_module_retain(struct kiln_module *module)
{
  atomic_fetch_add_explicit(&module->references, 1, memory_order_relaxed);
  return module;
}

void
kiln_module_release(struct kiln_module *module)
{
  if (!module || atomic_fetch_sub_explicit(&module->references, 1, memory_order_acq_rel) != 1)
    return;
  if (module->loaded)
    module->device->unload(module->loaded);
  watch_free(atomic_load(&module->watch));
  free(module->path);
  const struct kiln_module copy = {.reallocate = module->reallocate, .allocator_context = module->allocator_context};
  module_memory(&copy, module, sizeof *module, 0);
}

static struct kiln_module *
module_new(struct kiln *kiln, const struct kiln_plan *plan)
{
  struct kiln_module *module = kiln_memory(&kiln->options, NULL, 0, sizeof *module);
  if (!module)
    return NULL;
  memset(module, 0, sizeof *module);
  atomic_init(&module->references, 1);
  atomic_init(&module->watch, NULL);
  module->device = plan->toolchain->device;
  module->reallocate = kiln->options.reallocate;
  module->allocator_context = kiln->options.allocator_context;
  return module;
}

/* ---- one load ---- */

struct load {
  struct kiln *kiln;
  const struct kiln_spec *spec;
  struct kiln_plan *plan; /* begun */
};

static enum kiln_status
open_code(const struct load *load, struct kiln_module *module, const struct kiln_found *found, struct kiln_error *error)
{
  const bool copied =
      found->fd < 0 || (load->kiln->store && found->path && !kiln_store_maps_code(load->kiln->store, found));
  const struct kiln_load code = {.found = found,
      .noexec = copied,
      .cuda = load->kiln->cuda,
      .entry_points = load->spec->entry_points.items,
      .entry_point_count = load->spec->entry_points.count};
  const struct kiln_toolchain_ops *toolchain = load->plan->toolchain;
  enum kiln_status status = toolchain->runs ? toolchain->runs(load->kiln, load->spec, found, error) : KILN_OK;
  return status == KILN_OK ? module->device->load(&code, &module->loaded, error) : status;
}

static enum kiln_status
fill_module(
    const struct load *load, const struct kiln_found *found, struct kiln_module *module, struct kiln_error *error)
{
  struct kiln_watch *watch;
  const struct kiln_moment begin = kiln_moment_now(load->kiln);
  enum kiln_status status = open_code(load, module, found, error);
  if (status == KILN_OK)
    status = watch_new(load->plan, &watch, error);
  const struct kiln_event_module event = {
      .spec = load->spec, .plan = load->plan, .result = module->result == KILN_RESULT_BUILT ? "compiled" : "cached"};
  if (status != KILN_OK)
    return status;
  kiln_event_load(load->kiln, &event, begin);
  atomic_store(&module->watch, watch);
  module->digest = load->plan->entry;
  kiln_digest_hex(&module->digest, module->key);
  if (found->path) {
    const size_t size = strlen(found->path) + 1;
    module->path = malloc(size);
    if (!module->path)
      return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a module");
    memcpy(module->path, found->path, size);
  }
  return KILN_OK;
}

/* After the load, so that it costs the first call nothing; at most once a day, or when files only moved. */
static void
keep_current(const struct load *load, const struct kiln_found *found)
{
  struct kiln *kiln = load->kiln;
  kiln_store_touch(kiln->store, found);
  if (load->plan->record_moved && load->plan->identity_known && !found->in_layer) {
    load->plan->record.entry = load->plan->entry;
    (void)kiln_request_write(kiln->store, &load->plan->request, &load->plan->identity, &load->plan->record, NULL);
  }
}

static enum kiln_status
try_once(const struct load *load, struct kiln_module **module, bool *entry_is_bad, struct kiln_error *error)
{
  struct kiln_found found;
  *entry_is_bad = false;
  struct kiln_module *fresh = module_new(load->kiln, load->plan);
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a module");
  enum kiln_status status =
      kiln_entry_obtain(load->kiln, load->spec, load->plan, &found, &fresh->result, &fresh->build_ms, error);
  if (status == KILN_OK) {
    struct kiln_error cause = {0};
    status = fill_module(load, &found, fresh, &cause);
    *entry_is_bad = status == KILN_ERROR_FORMAT && fresh->result == KILN_RESULT_HIT;
    if (*entry_is_bad && !found.in_layer && load->kiln->store && found.path)
      (void)kiln_store_quarantine(load->kiln->store, found.path, "load", NULL);
    if (*entry_is_bad)
      kiln_log(load->kiln, KILN_LOG_WARNING, "the entry of '%s' does not load and is built again: %s", load->spec->name,
          cause.what);
    if (status == KILN_OK && fresh->result == KILN_RESULT_HIT)
      keep_current(load, &found);
    if (status != KILN_OK && error)
      *error = cause;
    kiln_found_release(&found);
  }
  if (status == KILN_OK)
    *module = fresh;
  else
    kiln_module_release(fresh);
  return status;
}

/* The stale module is the right one when its files moved and their content did not. */
static bool
still_right(const struct load *load, struct kiln_module *stale)
{
  struct kiln_watch *watch;
  if (!stale || !load->plan->entry_known || !kiln_digest_equal(&stale->digest, &load->plan->entry) ||
      watch_new(load->plan, &watch, NULL) != KILN_OK || !watch)
    return false;
  watch->before = atomic_load(&stale->watch);
  atomic_store_explicit(&stale->watch, watch, memory_order_release);
  return true;
}

static enum kiln_status
run_load(void *context, struct kiln_module *stale, struct kiln_module **module, struct kiln_error *error)
{
  const struct load *load = context;
  bool entry_is_bad;
  enum kiln_status status = kiln_plan_complete(load->kiln, load->spec, load->plan, error);
  if (status != KILN_OK)
    return status;
  if (still_right(load, stale)) {
    *module = kiln_module_retain(stale);
    return KILN_OK;
  }
  status = try_once(load, module, &entry_is_bad, error);
  if (!entry_is_bad)
    return status;
  load->plan->rebuild = true;
  return try_once(load, module, &entry_is_bad, error);
}

/* ---- public ---- */

/* The load function of a request that was known from the spec alone. */
static enum kiln_status
run_load_anew(void *context, struct kiln_module *stale, struct kiln_module **module, struct kiln_error *error)
{
  struct kiln_plan plan;
  struct load *load = context;
  enum kiln_status status = kiln_plan_begin(load->kiln, load->spec, &plan, error);
  if (status != KILN_OK)
    return status;
  load->plan = &plan;
  status = run_load(load, stale, module, error);
  kiln_plan_release(&plan);
  return status;
}

enum kiln_status
kiln_module_load(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_module **module, struct kiln_error *error)
{
  struct kiln_plan plan;
  struct kiln_digest request;
  struct load load = {.kiln = kiln, .spec = spec};
  *module = NULL;
  if (kiln_memo_recall(kiln, spec, &request))
    return kiln_module_cache_get(kiln->modules, &request, run_load_anew, &load, module, error);
  enum kiln_status status = kiln_plan_begin(kiln, spec, &plan, error);
  if (status != KILN_OK)
    return status;
  load.plan = &plan;
  status = kiln_module_cache_get(kiln->modules, &plan.request, run_load, &load, module, error);
  kiln_plan_release(&plan);
  return status;
}

void *
kiln_module_function(struct kiln_module *module, const char *symbol, struct kiln_error *error)
{
  return module->device->function(module->loaded, symbol, error);
}

void
kiln_module_info(const struct kiln_module *module, struct kiln_module_info *info)
{
  *info = (struct kiln_module_info){
      .key = module->key, .path = module->path, .result = module->result, .build_ms = module->build_ms};
}
