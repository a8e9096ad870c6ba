/*
 * The inside of struct kiln. Public functions: kiln/context.h.
 */
#ifndef KILN_JIT_CONTEXT_H
#define KILN_JIT_CONTEXT_H

#include "event/writer.h"
#include "kiln/context.h"
#include "os/thread.h"
#include "store/store.h"

struct kiln_module_cache;   /* jit/flight.h */
struct kiln_identity_cache; /* jit/identity.h */

struct kiln {
  struct kiln_options options; /* resolved: every switch is ON or OFF, every text is set or NULL */
  struct kiln_arena *arena;    /* holds texts of options and settings */
  struct kiln_setting *settings;
  size_t setting_count, setting_capacity;
  struct kiln_store *store;
  struct kiln_module_cache *modules;
  struct kiln_identity_cache *identities;
  struct kiln_event_writer events; /* closed unless KILN_EVENTS is set */
  struct kiln_mutex callback_lock; /* one callback at a time */
};

/* Send a message to the user's log callback. */
void kiln_log(struct kiln *kiln, enum kiln_log_level level, const char *format, ...) KILN_PRINTF(3, 4);

#endif
