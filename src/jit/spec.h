/*
 * The inside of a spec, for the parts of src/jit. Public functions: kiln/spec.h.
 */
#ifndef KILN_JIT_SPEC_H
#define KILN_JIT_SPEC_H

#include <stdatomic.h>

#include "base/arena.h"
#include "kiln/spec.h"

struct kiln_text_list {
  const char **items;
  size_t count, capacity;
};

struct kiln_spec_source {
  const char *name; /* what the compiler calls it: relative path of a text, base name of a file */
  const char *path; /* of a file; NULL for a text */
  const char *text;
  size_t len;
};

struct kiln_spec_memo; /* jit/memo.h */

struct kiln_spec {
  struct kiln_arena arena;
  const char *name, *toolchain;
  struct kiln_spec_source *sources;
  size_t source_count, source_capacity;
  struct kiln_text_list flags, defines, includes, archs, supports, links, entry_points;
  _Atomic(struct kiln_spec_memo *) memos; /* request digests computed already, newest first; forgotten by every add */
};

/* A spec that is equal and independent. */
enum kiln_status kiln_spec_copy(const struct kiln_spec *spec, struct kiln_spec **copy, struct kiln_error *error);

#endif
