/*
 * What kiln writes about itself into the event record (docs/events.md), framework "kiln". Nothing is written, and
 * nothing costs, unless KILN_EVENTS is set.
 */
#ifndef KILN_JIT_EVENTS_H
#define KILN_JIT_EVENTS_H

#include "jit/build.h"

/* Begin of a span: a moment and this thread's CPU time; zeros when no events are written. */
struct kiln_moment {
  uint64_t t, cpu;
};
struct kiln_moment kiln_moment_now(const struct kiln *kiln);

/* Where the cache is, and whether it is used; once per kiln. */
void kiln_event_root(struct kiln *kiln);
/* A lookup in the store: `what` is "hit" or "miss". */
void kiln_event_cache(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_plan *plan, const char *what);
/* Something long begins: "compile". */
void kiln_event_mark_begin(struct kiln *kiln, const struct kiln_spec *spec);
/* The native compiler's part, with its phases. result: "compiled" or "failed". */
void kiln_event_native(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_moment begin, const char *result,
    const struct kiln_build_output *output);
/* The whole decision and build of one module. */
struct kiln_event_module {
  const struct kiln_spec *spec;
  const struct kiln_plan *plan;
  const char *result; /* "compiled", "cached", "failed" */
  const char *path;   /* of the entry; NULL: none */
};
void kiln_event_compile(struct kiln *kiln, const struct kiln_event_module *module, struct kiln_moment begin);
void kiln_event_load(struct kiln *kiln, const struct kiln_event_module *module, struct kiln_moment begin);

#endif
