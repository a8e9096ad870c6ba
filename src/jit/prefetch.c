/* Threads that take specs from a list, one after the other, until it is at its end. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/context.h"
#include "jit/spec.h"
#include "kiln/budget.h"
#include "kiln/cache.h"
#include "kiln/prefetch.h"
#include "os/clock.h"
#include "os/process.h"

#define MOST_THREADS 256
#define LONGEST_WAIT_S 1e6

struct kiln_prefetch {
  struct kiln *kiln;
  struct kiln_prefetch_options options;
  struct kiln_spec **specs;
  size_t total;
  int pid;
  struct kiln_mutex reporting; /* one report at a time */
  struct kiln_mutex mutex;     /* over everything below */
  struct kiln_condition condition;
  size_t next, done;
  unsigned running; /* threads that have not come to their end */
  bool cancelled;
  struct kiln_prefetch_summary summary;
  uint64_t begin_ns;
  unsigned thread_count;
  struct kiln_thread threads[];
};

void
kiln_prefetch_options_init(struct kiln_prefetch_options *options)
{
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
}

/* ---- one spec ---- */

struct outcome {
  enum kiln_status status;
  enum kiln_result result;
  char key[65];
  char *path;
  double build_ms;
  struct kiln_error error;
};

static void
take_path(struct outcome *outcome, const char *path)
{
  const size_t size = path ? strlen(path) + 1 : 0;
  outcome->path = size ? malloc(size) : NULL;
  if (outcome->path)
    memcpy(outcome->path, path, size);
}

static void
load(struct kiln *kiln, const struct kiln_spec *spec, struct outcome *outcome)
{
  struct kiln_module *module;
  struct kiln_module_info info;
  outcome->status = kiln_module_load(kiln, spec, &module, &outcome->error);
  if (outcome->status != KILN_OK)
    return;
  kiln_module_info(module, &info);
  outcome->result = info.result;
  outcome->build_ms = info.build_ms;
  memcpy(outcome->key, info.key, sizeof outcome->key);
  take_path(outcome, info.path);
  kiln_module_release(module);
}

static void
obtain(const struct kiln_prefetch *prefetch, const struct kiln_spec *spec, struct outcome *outcome)
{
  *outcome = (struct outcome){.result = KILN_RESULT_FAILED};
  if (prefetch->options.load)
    load(prefetch->kiln, spec, outcome);
  else
    outcome->status = kiln_cache_build(
        prefetch->kiln, spec, &outcome->result, outcome->key, &outcome->path, &outcome->build_ms, &outcome->error);
  if (outcome->status != KILN_OK)
    outcome->result = KILN_RESULT_FAILED;
}

/* ---- the list ---- */

static bool
take_next(struct kiln_prefetch *prefetch, size_t *index)
{
  kiln_mutex_lock(&prefetch->mutex);
  const bool taken = !prefetch->cancelled && prefetch->next < prefetch->total;
  if (taken)
    *index = prefetch->next++;
  kiln_mutex_unlock(&prefetch->mutex);
  return taken;
}

static size_t
count(struct kiln_prefetch *prefetch, const struct outcome *outcome)
{
  kiln_mutex_lock(&prefetch->mutex);
  struct kiln_prefetch_summary *summary = &prefetch->summary;
  summary->hit += outcome->result == KILN_RESULT_HIT;
  summary->built += outcome->result == KILN_RESULT_BUILT;
  summary->failed += outcome->result == KILN_RESULT_FAILED;
  if (outcome->result == KILN_RESULT_FAILED && prefetch->options.stop_at_failure)
    prefetch->cancelled = true;
  const size_t done = ++prefetch->done;
  kiln_mutex_unlock(&prefetch->mutex);
  return done;
}

/* Counted and told as one, so that reports count up. */
static void
report(struct kiln_prefetch *prefetch, size_t index, struct outcome *outcome)
{
  kiln_mutex_lock(&prefetch->reporting);
  const struct kiln_prefetch_report told = {.index = index,
      .name = prefetch->specs[index]->name,
      .status = outcome->status,
      .result = outcome->result,
      .key = outcome->key,
      .path = outcome->path,
      .build_ms = outcome->build_ms,
      .error = &outcome->error,
      .done = count(prefetch, outcome),
      .total = prefetch->total};
  if (prefetch->options.report)
    prefetch->options.report(prefetch->options.context, &told);
  kiln_mutex_unlock(&prefetch->reporting);
}

static double
seconds_since(uint64_t begin_ns)
{
  return (double)(kiln_clock_now() - begin_ns) / 1e9;
}

static void *
work(void *context)
{
  struct kiln_prefetch *prefetch = context;
  struct outcome outcome;
  size_t index;
  while (take_next(prefetch, &index)) {
    obtain(prefetch, prefetch->specs[index], &outcome);
    report(prefetch, index, &outcome);
    free(outcome.path);
  }
  kiln_mutex_lock(&prefetch->mutex);
  if (--prefetch->running == 0)
    prefetch->summary.seconds = seconds_since(prefetch->begin_ns);
  kiln_condition_wake_all(&prefetch->condition);
  kiln_mutex_unlock(&prefetch->mutex);
  return NULL;
}

/* ---- life ---- */

static unsigned
choose_threads(struct kiln *kiln, const struct kiln_spec *const *specs, size_t total, unsigned wanted)
{
  unsigned threads = wanted, width;
  for (size_t i = 0; i < total && wanted == 0; i++)
    if (kiln_budget_width(kiln, specs[i]->toolchain, &width, NULL) == KILN_OK && width > threads)
      threads = width;
  if (threads == 0)
    threads = 1; /* limits that are malformed are told by the builds */
  if (threads > MOST_THREADS)
    threads = MOST_THREADS;
  return threads < total ? threads : (unsigned)total;
}

static void
release(struct kiln_prefetch *prefetch)
{
  for (size_t i = 0; prefetch->specs && i < prefetch->total; i++)
    kiln_spec_free(prefetch->specs[i]);
  free(prefetch->specs);
  free(prefetch);
}

static enum kiln_status
copy_specs(struct kiln_prefetch *prefetch, const struct kiln_spec *const *specs, size_t total, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  prefetch->specs = calloc(total + 1, sizeof *prefetch->specs);
  if (!prefetch->specs)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a list of %zu specs", total);
  prefetch->total = total;
  for (size_t i = 0; i < total && status == KILN_OK; i++)
    status = kiln_spec_copy(specs[i], &prefetch->specs[i], error);
  return status;
}

/* As many as the system gives; without any the list is not begun. */
static enum kiln_status
start(struct kiln_prefetch *prefetch, unsigned wanted, struct kiln_error *error)
{
  kiln_mutex_lock(&prefetch->mutex);
  while (prefetch->thread_count < wanted &&
         kiln_thread_start(&prefetch->threads[prefetch->thread_count], work, prefetch)) {
    prefetch->thread_count++;
    prefetch->running++;
  }
  kiln_mutex_unlock(&prefetch->mutex);
  if (prefetch->thread_count > 0 || wanted == 0)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no thread can be started for %zu specs", prefetch->total);
  kiln_error_advise(error, "Raise the limit of processes (ulimit -u, pids.max).");
  return KILN_ERROR_ENVIRONMENT;
}

static void
destroy(struct kiln_prefetch *prefetch)
{
  kiln_condition_release(&prefetch->condition);
  kiln_mutex_release(&prefetch->mutex);
  kiln_mutex_release(&prefetch->reporting);
  release(prefetch);
}

enum kiln_status
kiln_module_prefetch(struct kiln *kiln, const struct kiln_spec *const *specs, size_t count,
    const struct kiln_prefetch_options *options, struct kiln_prefetch **prefetch, struct kiln_error *error)
{
  struct kiln_prefetch_options all;
  *prefetch = NULL;
  kiln_prefetch_options_init(&all);
  if (options && (options->size < offsetof(struct kiln_prefetch_options, context) || options->size > sizeof all))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT,
        "options of %zu bytes were not filled by kiln_prefetch_options_init of this library", options->size);
  if (options)
    memcpy(&all, options, options->size);
  const unsigned threads = choose_threads(kiln, specs, count, all.threads);
  struct kiln_prefetch *fresh = calloc(1, sizeof *fresh + threads * sizeof fresh->threads[0]);
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a list of %zu specs", count);
  fresh->kiln = kiln;
  fresh->options = all;
  fresh->pid = kiln_process_id();
  fresh->begin_ns = kiln_clock_now();
  enum kiln_status status = copy_specs(fresh, specs, count, error);
  if (status != KILN_OK) {
    release(fresh);
    return status;
  }
  kiln_mutex_init(&fresh->reporting);
  kiln_mutex_init(&fresh->mutex);
  kiln_condition_init(&fresh->condition);
  status = start(fresh, threads, error);
  if (status == KILN_OK)
    *prefetch = fresh;
  else
    destroy(fresh);
  return status;
}

/* The mutex is held. */
static void
summarise(const struct kiln_prefetch *prefetch, struct kiln_prefetch_summary *summary)
{
  *summary = prefetch->summary;
  summary->total = prefetch->total;
  if (prefetch->running > 0)
    summary->seconds = seconds_since(prefetch->begin_ns);
  else
    summary->skipped = prefetch->total - prefetch->done;
}

bool
kiln_prefetch_wait(struct kiln_prefetch *prefetch, double timeout_s, struct kiln_prefetch_summary *summary)
{
  const uint64_t begin = kiln_clock_now();
  const double limit_s = timeout_s < LONGEST_WAIT_S ? timeout_s : LONGEST_WAIT_S;
  if (prefetch->pid != kiln_process_id())
    return false;
  kiln_mutex_lock(&prefetch->mutex);
  while (prefetch->running > 0) {
    const double left_s = limit_s - seconds_since(begin);
    if (timeout_s >= 0 && left_s <= 0)
      break;
    kiln_condition_wait(&prefetch->condition, &prefetch->mutex, timeout_s < 0 ? -1 : (int)(left_s * 1e3) + 1);
  }
  const bool ended = prefetch->running == 0;
  if (summary)
    summarise(prefetch, summary);
  kiln_mutex_unlock(&prefetch->mutex);
  return ended;
}

void
kiln_prefetch_cancel(struct kiln_prefetch *prefetch)
{
  if (prefetch->pid != kiln_process_id())
    return;
  kiln_mutex_lock(&prefetch->mutex);
  prefetch->cancelled = true;
  kiln_mutex_unlock(&prefetch->mutex);
}

void
kiln_prefetch_free(struct kiln_prefetch *prefetch)
{
  if (!prefetch)
    return;
  if (prefetch->pid != kiln_process_id()) {
    release(prefetch); /* its threads, and whoever held its mutexes, are not here */
    return;
  }
  kiln_prefetch_cancel(prefetch);
  for (unsigned i = 0; i < prefetch->thread_count; i++)
    kiln_thread_join(&prefetch->threads[i]);
  destroy(prefetch);
}
