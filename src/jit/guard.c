#include "jit/guard.h"

#include <stdlib.h>

#include "os/process.h"

static struct kiln_guard_own *
own_new(int pid, struct kiln_guard_own *before)
{
  struct kiln_guard_own *own = calloc(1, sizeof *own);
  if (!own)
    return NULL;
  own->pid = pid;
  own->before = before;
  kiln_mutex_init(&own->mutex);
  kiln_condition_init(&own->condition);
  return own;
}

/* Of another process: the parent's threads may hold it for ever, so it is only given back, never touched. */
static void
own_free(struct kiln_guard_own *own, int pid)
{
  if (own->pid == pid) {
    kiln_condition_release(&own->condition);
    kiln_mutex_release(&own->mutex);
  }
  free(own->state);
  free(own);
}

bool
kiln_guard_init(struct kiln_guard *guard)
{
  struct kiln_guard_own *own = own_new(kiln_process_id(), NULL);
  atomic_init(&guard->own, own);
  return own != NULL;
}

void
kiln_guard_release(struct kiln_guard *guard)
{
  const int pid = kiln_process_id();
  struct kiln_guard_own *own = atomic_load(&guard->own);
  while (own) {
    struct kiln_guard_own *before = own->before;
    own_free(own, pid);
    own = before;
  }
  atomic_store(&guard->own, NULL);
}

struct kiln_guard_own *
kiln_guard_lock(struct kiln_guard *guard)
{
  const int pid = kiln_process_id();
  struct kiln_guard_own *own = atomic_load_explicit(&guard->own, memory_order_acquire);
  while (own && own->pid != pid) {
    struct kiln_guard_own *fresh = own_new(pid, own);
    if (!fresh)
      return NULL;
    if (atomic_compare_exchange_strong(&guard->own, &own, fresh))
      own = fresh;
    else
      own_free(fresh, pid);
  }
  if (own)
    kiln_mutex_lock(&own->mutex);
  return own;
}

void
kiln_guard_unlock(struct kiln_guard_own *own)
{
  if (own)
    kiln_mutex_unlock(&own->mutex);
}
