/*
 * One build attempt: private folder, sources, compiler, checks, seal, publish. Correct with or without a lock.
 */
#ifndef KILN_JIT_PRODUCE_H
#define KILN_JIT_PRODUCE_H

#include "jit/build.h"
#include "store/lock.h"

/* lock (may be NULL): refreshed while the compiler runs. On success plan->entry is the new entry's key and found holds
 * it, published or not. KILN_ERROR_COMMAND: refused; *lasting: trying again with the same input is useless. */
enum kiln_status kiln_produce(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan,
    struct kiln_key_lock *lock, struct kiln_found *found, double *build_ms, bool *lasting, struct kiln_error *error);

#endif
