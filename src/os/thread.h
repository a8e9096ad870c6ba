/*
 * Mutexes, conditions and a helper thread. Thin names over the system's, so that nothing above needs a system header.
 */
#ifndef KILN_OS_THREAD_H
#define KILN_OS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Large enough and aligned for the system's types; checked by static assertions in thread.c. */
struct kiln_mutex {
  _Alignas(16) unsigned char storage[64];
};
struct kiln_condition {
  _Alignas(16) unsigned char storage[64];
};
struct kiln_thread {
  _Alignas(16) unsigned char storage[16];
};

/* Not recursive. */
void kiln_mutex_init(struct kiln_mutex *mutex);
/* Ends its life; no thread may hold it or wait for it. */
void kiln_mutex_release(struct kiln_mutex *mutex);
/* Waits without limit. */
void kiln_mutex_lock(struct kiln_mutex *mutex);
/* By the thread that locked it. */
void kiln_mutex_unlock(struct kiln_mutex *mutex);

/* Its waits are measured by the monotonic clock. */
void kiln_condition_init(struct kiln_condition *condition);
/* Ends its life; no thread may wait for it. */
void kiln_condition_release(struct kiln_condition *condition);
/* mutex must be held; timeout_ms < 0 waits for ever. false on timeout. true may come for no reason: ask again. */
bool kiln_condition_wait(struct kiln_condition *condition, struct kiln_mutex *mutex, int timeout_ms);
/* With or without the mutex. */
void kiln_condition_wake_all(struct kiln_condition *condition);

/* All signals are blocked in the new thread. false when the system refuses. */
bool kiln_thread_start(struct kiln_thread *thread, void *(*run)(void *context), void *context);
/* Waits for its end; once for each thread that was started. */
void kiln_thread_join(struct kiln_thread *thread);

#endif
