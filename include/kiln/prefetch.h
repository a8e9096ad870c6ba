/*
 * kiln/prefetch.h: kernels before they are needed, what to run until they are there, and no compile afterwards.
 *
 * Three things that a program with a latency to keep wants:
 *   kiln_module_prefetch    a list of specs is built (and loaded) on threads, while the program goes on
 *   kiln_module_load_or     the module if it is there, else another one at once while the right one is built
 *   kiln_late_watch         from here on a compile is a mistake: counted, told, or refused
 *
 * Thread safety: every function from any thread, with the exceptions named below. A forked child has none of the
 * threads of its parent: it must not wait for a prefetch that it inherited; freeing one there only gives back memory.
 */
#ifndef KILN_PREFETCH_H
#define KILN_PREFETCH_H

#include <stdbool.h>

#include "kiln/module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ahead of time ---- */

struct kiln_prefetch;

/* One spec has come to its end. Everything is valid during the call only, but for `context`. */
struct kiln_prefetch_report {
  size_t index;     /* in the list that was given */
  const char *name; /* of the spec */
  enum kiln_status status;
  enum kiln_result result;  /* FAILED unless status is KILN_OK */
  const char *key;          /* 64 hex digits; "" when it failed before the key was known */
  const char *path;         /* of the entry; NULL when only memory holds it */
  double build_ms;          /* 0 for a hit */
  struct kiln_error *error; /* of a failure */
  size_t done, total;       /* this one included */
};

struct kiln_prefetch_options {
  size_t size;          /* set by kiln_prefetch_options_init */
  unsigned threads;     /* 0: as many as the budget of this host lets compile at once; never more than specs */
  bool load;            /* load the modules, too: a later kiln_module_load finds them in memory */
  bool stop_at_failure; /* after a failure no further spec is begun */
  /* Called once for each spec that was begun, from the prefetch's threads, never two at once; may be NULL. It may use
   * the kiln and cancel the prefetch, but neither wait for it nor free it. */
  void (*report)(void *context, const struct kiln_prefetch_report *report);
  void *context;
};
/* Everything by default: as many threads as the budget allows, the store only, no reports. */
KILN_API void kiln_prefetch_options_init(struct kiln_prefetch_options *options);

struct kiln_prefetch_summary {
  size_t total, built, hit, failed;
  size_t skipped; /* not begun: cancelled, or after a failure */
  double seconds; /* since the call; frozen when all has ended */
};

/* Begin, and return at once. The specs are copied; options may be NULL. *prefetch is the caller's, to be given to
 * kiln_prefetch_free before kiln_free. Builds wait for their turn in the budget of this host as every build does, and
 * share a build of the same key with whoever else wants it. KILN_ERROR_ENVIRONMENT: no thread can be started. */
KILN_API enum kiln_status kiln_module_prefetch(struct kiln *kiln, const struct kiln_spec *const *specs, size_t count,
    const struct kiln_prefetch_options *options, struct kiln_prefetch **prefetch, struct kiln_error *error);
/* Wait until all has come to its end, at most timeout_s seconds; below 0: without limit; 0: only ask. true when it has.
 * summary (may be NULL) says how far it is in both cases. Not from a report. */
KILN_API bool kiln_prefetch_wait(
    struct kiln_prefetch *prefetch, double timeout_s, struct kiln_prefetch_summary *summary);
/* Begin nothing more. What is being built comes to its end: others may wait for it. */
KILN_API void kiln_prefetch_cancel(struct kiln_prefetch *prefetch);
/* Cancel, wait, release. NULL is allowed. Not from a report. */
KILN_API void kiln_prefetch_free(struct kiln_prefetch *prefetch);

/* ---- in the meantime ---- */

struct kiln_load_options {
  size_t size; /* set by kiln_load_options_init */
  /* The background build has ended: loaded (KILN_OK, so that the next call gives the module) or failed. From a thread
   * of the kiln; once for each build that was begun; may be NULL. */
  void (*ready)(void *context, enum kiln_status status, const struct kiln_error *error);
  void *context;
};
/* Everything by default: nobody is told. */
KILN_API void kiln_load_options_init(struct kiln_load_options *options);

/* The module of `spec` if this process or the store has it; else the module of `fallback`, which is loaded (and built,
 * if need be) as by kiln_module_load, while `spec` is built in the background. Ask again at the next use: as soon as it
 * is there it is given. *fell_back says which one *module is. options may be NULL.
 *
 * Where the fallback fails, `spec` is waited for. A background build that failed is not begun again for a minute.
 * kiln_free ends what is still being built in the background. Errors as kiln_module_load. */
KILN_API enum kiln_status kiln_module_load_or(struct kiln *kiln, const struct kiln_spec *spec,
    const struct kiln_spec *fallback, const struct kiln_load_options *options, struct kiln_module **module,
    bool *fell_back, struct kiln_error *error);

/* ---- no compile any more ---- */

struct kiln_late_options {
  size_t size; /* set by kiln_late_options_init */
  bool refuse; /* do not compile: KILN_ERROR_LATE */
  /* A spec is about to be compiled, or refused; may be NULL. Never two at once; as log and progress it must not call
   * back into this kiln. key: 64 hex digits. */
  void (*late)(void *context, const char *name, const char *key);
  void *context;
};
/* Everything by default: compiles are counted and go on. */
KILN_API void kiln_late_options_init(struct kiln_late_options *options);

/* From here on a spec that neither memory nor the store has is late: counted, told, and with `refuse` refused, by every
 * function of this kiln. options NULL: from here on nothing is late again; the count stays. May be called as often as
 * wanted. KILN_ERROR_MEMORY. */
KILN_API enum kiln_status kiln_late_watch(
    struct kiln *kiln, const struct kiln_late_options *options, struct kiln_error *error);
/* How many specs were late so far. */
KILN_API unsigned long long kiln_late_count(const struct kiln *kiln);

#ifdef __cplusplus
}
#endif
#endif
