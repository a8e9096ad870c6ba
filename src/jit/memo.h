/*
 * What a kiln found out about a spec, kept in the spec: its request digest, so that a second load need not hash the
 * sources again. Valid for one kiln, and as long as the source files have not moved (they are statted).
 *
 * Several threads may ask and remember at once; only kiln_memo_forget, which every kiln_spec_add_… calls, needs the
 * spec for itself.
 */
#ifndef KILN_JIT_MEMO_H
#define KILN_JIT_MEMO_H

#include "jit/context.h"
#include "jit/spec.h"

/* A file as it was when it was read. */
struct kiln_memo_file {
  const char *path; /* not owned by the memo */
  uint64_t size, inode, mtime_ns;
};
/* Fill from the file as it is now; false when it cannot be looked at. */
bool kiln_memo_file_look(struct kiln_memo_file *file, const char *path);
/* Is the file still as it was? One stat. */
bool kiln_memo_file_same(const struct kiln_memo_file *file);

/* The request digest of this spec in this kiln if it is known and still true. */
bool kiln_memo_recall(const struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *request);
/* Keep it; files: one for each source of the spec that is a file, looked at before it was read. Short memory is no
 * error. */
void kiln_memo_keep(const struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_digest *request,
    const struct kiln_memo_file *files, size_t count);
void kiln_memo_forget(struct kiln_spec *spec);

#endif
