/*
 * The inside of struct kiln. Public functions: kiln/context.h.
 */
#ifndef KILN_JIT_CONTEXT_H
#define KILN_JIT_CONTEXT_H

#include "base/arena.h"
#include "event/writer.h"
#include "jit/guard.h"
#include "kiln/context.h"
#include "store/store.h"

struct kiln_attachment;     /* jit/attach.h */
struct kiln_module_cache;   /* jit/flight.h */
struct kiln_identity_cache; /* jit/identity.h */
struct kiln_content_cache;  /* jit/content.h */
struct kiln_budget;         /* jit/budget.h */
struct kiln_background;     /* jit/fallback.h */
struct kiln_late_policy;    /* jit/late.h */
struct kiln_cuda;           /* device/cuda/driver.h */

struct kiln {
  struct kiln_options options; /* resolved: every switch is ON or OFF, every text is set or NULL */
  struct kiln_arena *arena;    /* holds texts of options and settings */
  struct kiln_setting *settings;
  size_t setting_count, setting_capacity;
  uint64_t serial;           /* tells this kiln from an earlier one at the same address */
  const char *cpu_features;  /* os/cpu.h; asked once */
  struct kiln_store *store;  /* NULL: no place for one (HOME is not set) */
  atomic_flag said_no_store; /* the warning was given */
  struct kiln_module_cache *modules;
  struct kiln_identity_cache *identities;
  struct kiln_content_cache *contents;
  _Atomic(struct kiln_attachment *) attachments;
  _Atomic(struct kiln_budget *) budget; /* NULL until the first build */
  struct kiln_background *background;   /* builds that nobody waits for */
  struct kiln_guard background_guard;
  _Atomic(struct kiln_late_policy *) late; /* NULL: a compile is never late */
  atomic_ullong late_count;
  atomic_bool closing;             /* kiln_free was called: what is built in the background is given up */
  struct kiln_cuda *cuda;          /* the driver of GPUs; opened when it is first asked */
  struct kiln_event_writer events; /* closed unless KILN_EVENTS is set */
  struct kiln_guard callbacks;     /* one callback at a time */
};

/* Send a message to the user's log callback. */
void kiln_log(struct kiln *kiln, enum kiln_log_level level, const char *format, ...) KILN_PRINTF(3, 4);
/* Is what goes on wanted no more: the user asked to stop, or this kiln is being freed? */
bool kiln_is_stopped(const struct kiln *kiln);
/* Tell the user's progress callback. */
void kiln_progress(struct kiln *kiln, const struct kiln_build_progress *progress);
/* The user's memory: as realloc, and size 0 frees. NULL when memory is short. */
void *kiln_memory(const struct kiln_options *options, void *block, size_t old_size, size_t new_size);

#endif
