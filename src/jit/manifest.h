/*
 * The manifest of an entry: everything about one build, kept beside its code. obtain.c writes it, cache_*.c read it.
 *
 *   {"key", "name", "toolchain", "toolchain_identity", "kiln", "built", "build_ms", "entry_points": [], "command",
 *    "fields": [{"tag", "value"}], "field_count", "dependencies": [{"path", "content"}],
 *    "spec": {as in kiln/spec.h: paths absolute, no texts},
 *    "sources": [{"name", "content", "size", "text"}], "log"}; text is null when the sources are too large to keep
 *
 * At most KILN_ENTRY_MAX_MANIFEST bytes: what is long is cut (log) or left out (source texts, dependencies), which its
 * reader sees (the text of the i-th source of "spec" is that of the i-th of "sources"). Fields are in the order in
 * which they were hashed. Times are seconds since 1970.
 */
#ifndef KILN_JIT_MANIFEST_H
#define KILN_JIT_MANIFEST_H

#include "jit/build.h"

/* What a manifest is written from; nothing is owned. */
struct kiln_manifest_facts {
  const struct kiln_spec *spec;
  const struct kiln_plan *plan; /* texts, all fields of the key, entry */
  const struct kiln_build_output *output;
  double build_ms;
};

/* The manifest as one line of JSON: the whole content of out. */
enum kiln_status kiln_manifest_write(
    const struct kiln_manifest_facts *facts, struct kiln_buf *out, struct kiln_error *error);

#endif
