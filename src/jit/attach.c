#include "jit/attach.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "jit/context.h"

static const struct kiln_attachment *
find(const struct kiln_attachment *list, const void *key)
{
  while (list && list->key != key)
    list = list->next;
  return list;
}

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for what is attached to a kiln");
}

/* Two threads may make one at once: the first that puts it into the list wins. */
static enum kiln_status
add(struct kiln *kiln, struct kiln_attachment *fresh, void **object)
{
  struct kiln_attachment *head = atomic_load_explicit(&kiln->attachments, memory_order_acquire);
  do {
    const struct kiln_attachment *other = find(head, fresh->key);
    if (other) {
      *object = other->object;
      fresh->release(fresh->object);
      free(fresh);
      return KILN_OK;
    }
    fresh->next = head;
  } while (!atomic_compare_exchange_weak_explicit(
      &kiln->attachments, &head, fresh, memory_order_acq_rel, memory_order_acquire));
  *object = fresh->object;
  return KILN_OK;
}

enum kiln_status
kiln_attach(struct kiln *kiln, const void *key, void *(*make)(struct kiln *kiln), void (*release)(void *object),
    void **object, struct kiln_error *error)
{
  const struct kiln_attachment *there = find(atomic_load_explicit(&kiln->attachments, memory_order_acquire), key);
  if (there) {
    *object = there->object;
    return KILN_OK;
  }
  struct kiln_attachment *fresh = malloc(sizeof *fresh);
  void *made = fresh ? make(kiln) : NULL;
  if (!made) {
    free(fresh);
    return no_memory(error);
  }
  *fresh = (struct kiln_attachment){key, made, release, NULL};
  return add(kiln, fresh, object);
}

void
kiln_attachments_release(struct kiln_attachment *list)
{
  while (list) {
    struct kiln_attachment *next = list->next;
    list->release(list->object);
    free(list);
    list = next;
  }
}
