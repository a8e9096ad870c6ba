/*
 * "No compile from here on": what kiln_late_watch (kiln/prefetch.h) asked for.
 */
#ifndef KILN_JIT_LATE_H
#define KILN_JIT_LATE_H

#include "jit/build.h"

struct kiln_late_policy; /* one call of kiln_late_watch; never changed, only replaced */

/* A spec was found nowhere. KILN_ERROR_LATE when it may not be compiled now. */
enum kiln_status kiln_late_ask(
    struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_plan *plan, struct kiln_error *error);
/* Of a kiln that ends. */
void kiln_late_release(struct kiln_late_policy *policy);

#endif
