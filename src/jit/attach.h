/*
 * The inside of kiln/attach.h: a list that only grows, newest first.
 */
#ifndef KILN_JIT_ATTACH_H
#define KILN_JIT_ATTACH_H

#include "kiln/attach.h"

struct kiln_attachment {
  const void *key;
  void *object;
  void (*release)(void *object);
  struct kiln_attachment *next;
};

/* Release all objects of the list. */
void kiln_attachments_release(struct kiln_attachment *list);

#endif
