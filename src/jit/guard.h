/*
 * A mutex that survives fork: a child never waits for a lock that a thread of its parent held at the moment of the
 * fork, because each process has a mutex of its own. Costs one getpid a lock; what is read without lock needs none.
 *
 * Order: init, lock/unlock…, release. What the guard protects may be half-changed in such a child; its owner says what
 * it does about that.
 */
#ifndef KILN_JIT_GUARD_H
#define KILN_JIT_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "os/thread.h"

/* The lock of one process. */
struct kiln_guard_own {
  int pid;
  struct kiln_mutex mutex;
  struct kiln_condition condition;
  void *state; /* the owner's, freed with free() at release: what only this process's threads share; begins as NULL */
  struct kiln_guard_own *before;
};

struct kiln_guard {
  _Atomic(struct kiln_guard_own *) own;
};

/* false when memory is short: then release is allowed, lock is not. */
bool kiln_guard_init(struct kiln_guard *guard);
void kiln_guard_release(struct kiln_guard *guard);
/* The lock that was taken, to be handed to unlock; NULL when a forked child has no memory for its own: then nothing is
 * locked, and unlock accepts it. */
struct kiln_guard_own *kiln_guard_lock(struct kiln_guard *guard);
void kiln_guard_unlock(struct kiln_guard_own *own);

#endif
