#include "jit/context.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/cuda/driver.h"
#include "jit/attach.h"
#include "jit/budget.h"
#include "jit/content.h"
#include "jit/events.h"
#include "jit/fallback.h"
#include "jit/flight.h"
#include "jit/identity.h"
#include "jit/late.h"
#include "jit/settings.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/process.h"

void
kiln_options_init(struct kiln_options *options)
{
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
}

void *
kiln_memory(const struct kiln_options *options, void *block, size_t old_size, size_t new_size)
{
  if (options->reallocate)
    return options->reallocate(options->allocator_context, block, old_size, new_size);
  if (new_size > 0)
    return realloc(block, new_size);
  free(block);
  return NULL;
}

/* ---- callbacks ---- */

void
kiln_log(struct kiln *kiln, enum kiln_log_level level, const char *format, ...)
{
  struct kiln_buf text;
  va_list args;
  if (!kiln->options.log)
    return;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  struct kiln_guard_own *own = kiln_guard_lock(&kiln->callbacks);
  kiln->options.log(kiln->options.callback_context, level, kiln_buf_text(&text));
  kiln_guard_unlock(own);
  kiln_buf_release(&text);
}

void
kiln_progress(struct kiln *kiln, const struct kiln_build_progress *progress)
{
  if (!kiln->options.progress)
    return;
  struct kiln_guard_own *own = kiln_guard_lock(&kiln->callbacks);
  kiln->options.progress(kiln->options.callback_context, progress);
  kiln_guard_unlock(own);
}

static void
warn(void *context, const char *message)
{
  kiln_log(context, KILN_LOG_WARNING, "%s", message);
}

bool
kiln_is_stopped(const struct kiln *kiln)
{
  return kiln_interrupt_seen() != 0 || atomic_load(&kiln->closing);
}

/* ---- parts ---- */

static enum kiln_status
ask_processor(struct kiln *kiln)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_cpu_features(&text);
  kiln->cpu_features = text.failed ? NULL : kiln_arena_strdup(kiln->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return kiln->cpu_features ? KILN_OK : KILN_ERROR_MEMORY;
}

static enum kiln_status
open_store(struct kiln *kiln, struct kiln_error *error)
{
  if (!kiln->options.cache_folder)
    return KILN_OK;
  const struct kiln_store_options options = {.folder = kiln->options.cache_folder,
      .layers = kiln->options.layers,
      .sync = kiln->options.sync == KILN_ON,
      .warn = warn,
      .context = kiln};
  return kiln_store_open(&options, &kiln->store, error);
}

static enum kiln_status
fill(struct kiln *kiln, const struct kiln_options *options, struct kiln_error *error)
{
  enum kiln_status status = kiln_settings_read(kiln, options, error);
  if (status != KILN_OK)
    return status;
  kiln->modules = kiln_module_cache_new();
  kiln->identities = kiln_identity_cache_new();
  kiln->contents = kiln_content_cache_new();
  if (!kiln->modules || !kiln->identities || !kiln->contents || ask_processor(kiln) != KILN_OK)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a kiln");
  status = kiln_cuda_new(kiln->options.driver, &kiln->cuda, error);
  if (status != KILN_OK)
    return status;
  if (kiln_event_writer_open(&kiln->events, NULL))
    kiln_event_root(kiln);
  return open_store(kiln, error);
}

/* ---- life ---- */

static const struct kiln_options none;

enum kiln_status
kiln_new(const struct kiln_options *options, struct kiln **kiln, struct kiln_error *error)
{
  const bool has_allocator =
      options && options->size >= offsetof(struct kiln_options, allocator_context) + sizeof(void *);
  *kiln = NULL;
  struct kiln *fresh = kiln_memory(has_allocator ? options : &none, NULL, 0, sizeof *fresh);
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a kiln");
  memset(fresh, 0, sizeof *fresh);
  if (has_allocator) {
    fresh->options.reallocate = options->reallocate;
    fresh->options.allocator_context = options->allocator_context;
  }
  fresh->events.fd = -1;
  fresh->serial = kiln_clock_now();
  fresh->arena = calloc(1, sizeof *fresh->arena);
  atomic_flag_clear(&fresh->said_no_store);
  enum kiln_status status = KILN_ERROR_MEMORY;
  if (kiln_guard_init(&fresh->callbacks) && kiln_guard_init(&fresh->background_guard) && fresh->arena)
    status = fill(fresh, options, error);
  else
    kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a kiln");
  if (status == KILN_OK)
    *kiln = fresh;
  else
    kiln_free(fresh);
  return status;
}

void
kiln_free(struct kiln *kiln)
{
  if (!kiln)
    return;
  const struct kiln_options options = kiln->options;
  kiln_background_release(kiln);
  kiln_attachments_release(atomic_load(&kiln->attachments));
  kiln_module_cache_free(kiln->modules);
  kiln_cuda_free(kiln->cuda);
  kiln_identity_cache_free(kiln->identities);
  kiln_content_cache_free(kiln->contents);
  kiln_budget_free(atomic_load(&kiln->budget));
  kiln_store_close(kiln->store);
  kiln_event_writer_close(&kiln->events);
  kiln_late_release(atomic_load(&kiln->late));
  kiln_guard_release(&kiln->background_guard);
  kiln_guard_release(&kiln->callbacks);
  free(kiln->settings);
  if (kiln->arena)
    kiln_arena_release(kiln->arena);
  free(kiln->arena);
  kiln_memory(&options, kiln, sizeof *kiln, 0);
}

const struct kiln_setting *
kiln_setting_at(const struct kiln *kiln, size_t index)
{
  return index < kiln->setting_count ? &kiln->settings[index] : NULL;
}
