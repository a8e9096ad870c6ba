/*
 * Remembered compile failures, with what they depend on beyond the request: headers may be corrected, and then the
 * failure is history. Since a failed compile leaves no list of what it read, the newest change in the folders of the
 * spec stands for it.
 */
#ifndef KILN_JIT_FAILED_H
#define KILN_JIT_FAILED_H

#include "jit/build.h"

/* The failure of this plan as an error, when one is remembered and still true. */
bool kiln_failed_recall(
    struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_plan *plan, struct kiln_error *error);
/* begin_ns: when the build began (wall clock); what changed since then makes the failure not worth keeping. */
void kiln_failed_keep(
    struct kiln *kiln, const struct kiln_plan *plan, uint64_t begin_ns, const struct kiln_error *failure);
void kiln_failed_forget(struct kiln *kiln, const struct kiln_plan *plan);
/* Request and toolchain: what names the lock of a build and its failure. */
struct kiln_digest kiln_plan_build_key(const struct kiln_plan *plan);

#endif
