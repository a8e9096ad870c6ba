#include "jit/fallback.h"

#include <stdlib.h>
#include <string.h>

#include "jit/build.h"
#include "jit/flight.h"
#include "jit/memo.h"
#include "jit/spec.h"
#include "kiln/prefetch.h"
#include "os/clock.h"
#include "os/process.h"
#include "store/negative.h"

#define PATIENCE_NS (KILN_NEGATIVE_LIFE_S * UINT64_C(1000000000))

/* One build. Its place in the list is fixed; a build that ended is followed by another one for the same request. */
struct kiln_background {
  struct kiln_background *before;
  struct kiln_digest request;
  struct kiln_load_options options;
  struct kiln_prefetch *prefetch;
  int pid;
  atomic_bool ended;
  _Atomic uint64_t failed_ns; /* when it failed; 0: it did not */
};

void
kiln_load_options_init(struct kiln_load_options *options)
{
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
}

/* ---- in the background ---- */

static void
note_end(void *context, const struct kiln_prefetch_report *report)
{
  struct kiln_background *background = context;
  if (report->status != KILN_OK)
    atomic_store(&background->failed_ns, kiln_clock_now());
  atomic_store(&background->ended, true);
  if (background->options.ready)
    background->options.ready(background->options.context, report->status, report->error);
}

/* Is it being built, or did it fail just now? The guard is held. A child of a fork has none of its parent's. */
static bool
is_begun(const struct kiln *kiln, const struct kiln_digest *request)
{
  const int pid = kiln_process_id();
  for (const struct kiln_background *at = kiln->background; at; at = at->before) {
    if (at->pid != pid || !kiln_digest_equal(&at->request, request))
      continue;
    const uint64_t failed_ns = atomic_load(&at->failed_ns);
    return !atomic_load(&at->ended) || (failed_ns != 0 && kiln_clock_now() - failed_ns < PATIENCE_NS);
  }
  return false;
}

static enum kiln_status
begin(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_digest *request,
    const struct kiln_load_options *options, struct kiln_error *error)
{
  struct kiln_prefetch_options how;
  struct kiln_background *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for building '%s'", spec->name);
  *fresh = (struct kiln_background){
      .before = kiln->background, .request = *request, .options = *options, .pid = kiln_process_id()};
  kiln_prefetch_options_init(&how);
  how.threads = 1;
  how.load = true;
  how.report = note_end;
  how.context = fresh;
  const enum kiln_status status = kiln_module_prefetch(kiln, &spec, 1, &how, &fresh->prefetch, error);
  if (status == KILN_OK)
    kiln->background = fresh;
  else
    free(fresh);
  return status;
}

static enum kiln_status
begin_once(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_digest *request,
    const struct kiln_load_options *options, struct kiln_error *error)
{
  struct kiln_guard_own *own = kiln_guard_lock(&kiln->background_guard);
  const enum kiln_status status = is_begun(kiln, request) ? KILN_OK : begin(kiln, spec, request, options, error);
  kiln_guard_unlock(own);
  return status;
}

/* Called while no other thread uses the kiln. */
void
kiln_background_release(struct kiln *kiln)
{
  atomic_store(&kiln->closing, true);
  while (kiln->background) {
    struct kiln_background *background = kiln->background;
    kiln->background = background->before;
    kiln_prefetch_free(background->prefetch);
    free(background);
  }
}

/* ---- in the foreground ---- */

/* In memory: *module is it. In the store: *stored. Neither: both unset. */
static enum kiln_status
look(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *request, struct kiln_module **module,
    bool *stored, struct kiln_error *error)
{
  struct kiln_plan plan;
  struct kiln_found found;
  *stored = false;
  if (kiln_memo_recall(kiln, spec, request)) {
    *module = kiln_module_cache_peek(kiln->modules, request);
    if (*module)
      return KILN_OK;
  }
  enum kiln_status status = kiln_plan_init(kiln, spec, &plan, error);
  if (status != KILN_OK)
    return status;
  *request = plan.request;
  *module = kiln_module_cache_peek(kiln->modules, request);
  if (!*module && plan.entry_known && kiln->store && kiln->options.reuse == KILN_ON &&
      kiln_store_find(kiln->store, &plan.entry, &found, NULL) == KILN_OK) {
    *stored = true;
    kiln_found_release(&found);
  }
  kiln_plan_release(&plan);
  return KILN_OK;
}

enum kiln_status
kiln_module_load_or(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_spec *fallback,
    const struct kiln_load_options *options, struct kiln_module **module, bool *fell_back, struct kiln_error *error)
{
  struct kiln_load_options all;
  struct kiln_digest request;
  struct kiln_error cause = {0};
  bool stored;
  *module = NULL;
  *fell_back = false;
  kiln_load_options_init(&all);
  if (options && (options->size < offsetof(struct kiln_load_options, context) || options->size > sizeof all))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT,
        "options of %zu bytes were not filled by kiln_load_options_init of this library", options->size);
  if (options)
    memcpy(&all, options, options->size);
  enum kiln_status status = look(kiln, spec, &request, module, &stored, error);
  if (status != KILN_OK || *module)
    return status;
  if (stored)
    return kiln_module_load(kiln, spec, module, error);
  status = begin_once(kiln, spec, &request, &all, &cause);
  if (status == KILN_OK)
    status = kiln_module_load(kiln, fallback, module, &cause);
  *fell_back = status == KILN_OK;
  if (status == KILN_OK)
    return KILN_OK;
  kiln_log(kiln, KILN_LOG_WARNING, "'%s' is waited for, because its fallback '%s' cannot be used: %s", spec->name,
      fallback->name, cause.what);
  return kiln_module_load(kiln, spec, module, error);
}
