#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct kiln_mutex), "a mutex fits");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(struct kiln_condition), "a condition fits");
_Static_assert(sizeof(pthread_t) <= sizeof(struct kiln_thread), "a thread fits");
_Static_assert(_Alignof(pthread_mutex_t) <= 16 && _Alignof(pthread_cond_t) <= 16, "the storage is aligned");

static pthread_mutex_t *
mutex_of(struct kiln_mutex *mutex)
{
  return (pthread_mutex_t *)(void *)mutex->storage;
}

static pthread_cond_t *
condition_of(struct kiln_condition *condition)
{
  return (pthread_cond_t *)(void *)condition->storage;
}

static pthread_t *
thread_of(struct kiln_thread *thread)
{
  return (pthread_t *)(void *)thread->storage;
}

void
kiln_mutex_init(struct kiln_mutex *mutex)
{
  pthread_mutex_init(mutex_of(mutex), NULL);
}

void
kiln_mutex_release(struct kiln_mutex *mutex)
{
  pthread_mutex_destroy(mutex_of(mutex));
}

void
kiln_mutex_lock(struct kiln_mutex *mutex)
{
  pthread_mutex_lock(mutex_of(mutex));
}

void
kiln_mutex_unlock(struct kiln_mutex *mutex)
{
  pthread_mutex_unlock(mutex_of(mutex));
}

void
kiln_condition_init(struct kiln_condition *condition)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* a corrected wall clock must not stretch a wait */
  pthread_cond_init(condition_of(condition), &attributes);
  pthread_condattr_destroy(&attributes);
}

void
kiln_condition_release(struct kiln_condition *condition)
{
  pthread_cond_destroy(condition_of(condition));
}

static struct timespec
deadline_after(int timeout_ms)
{
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += timeout_ms / 1000;
  deadline.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_nsec -= 1000000000;
    deadline.tv_sec++;
  }
  return deadline;
}

bool
kiln_condition_wait(struct kiln_condition *condition, struct kiln_mutex *mutex, int timeout_ms)
{
  if (timeout_ms < 0)
    return pthread_cond_wait(condition_of(condition), mutex_of(mutex)) == 0;
  struct timespec deadline = deadline_after(timeout_ms);
  return pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), &deadline) != ETIMEDOUT;
}

void
kiln_condition_wake_all(struct kiln_condition *condition)
{
  pthread_cond_broadcast(condition_of(condition));
}

bool
kiln_thread_start(struct kiln_thread *thread, void *(*run)(void *context), void *context)
{
  sigset_t all, before;
  sigfillset(&all);
  /* A new thread inherits the mask, so there is no moment in which it could take a signal of the host program. */
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  int failure = pthread_create(thread_of(thread), NULL, run, context);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure == 0;
}

void
kiln_thread_join(struct kiln_thread *thread)
{
  pthread_join(*thread_of(thread), NULL);
}
