/*
 * The entry that has most fields of a key, and exactly the fields that differ.
 */
#ifndef KILN_JIT_CACHE_NEAREST_H
#define KILN_JIT_CACHE_NEAREST_H

#include "base/arena.h"
#include "jit/context.h"
#include "store/key.h"

/* A field of one side only, or with another value on the other. */
struct kiln_field_difference {
  const char *tag;
  const char *here, *there; /* NULL: that side has no such field */
};

struct kiln_nearest {
  bool found;
  char key[KILN_DIGEST_HEX];
  const char *name, *path;
  size_t equal; /* fields with the same tag and value */
  size_t looked_at;
  bool cut; /* time was up before every entry was looked at */
  struct kiln_field_difference *differences;
  size_t count, capacity;
  struct kiln_arena arena; /* holds all texts */
};

/* What is compared. */
struct kiln_nearest_request {
  const struct kiln_key *key;
  const char *name; /* of the spec: decides between entries that are equally near */
  /* The key holds only what is known before the compiler runs: fields of an entry that are known later (toolchain,
   * dependencies) are passed over. */
  bool early;
  uint64_t patience_ns; /* so long is looked at most */
};

/* Look at the entries of the store and of its layers, as long as patience lasts. Release in every case. */
enum kiln_status kiln_nearest_find(struct kiln *kiln, const struct kiln_nearest_request *request,
    struct kiln_nearest *nearest, struct kiln_error *error);
void kiln_nearest_release(struct kiln_nearest *nearest);

/* Is this a field that is known only when the compiler or the recorded dependencies are? */
bool kiln_field_is_late(const char *tag);

#endif
