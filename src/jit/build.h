/*
 * From a spec to an entry: lookup, wait or build, validate, publish. No loading here.
 */
#ifndef KILN_JIT_BUILD_H
#define KILN_JIT_BUILD_H

#include "jit/context.h"
#include "jit/memo.h"
#include "jit/toolchain_ops.h"
#include "kiln/module.h"

/* Everything a lookup of one spec computes. Order: plan_init (or plan_begin, plan_complete), …, plan_release. */
struct kiln_plan {
  const struct kiln_toolchain_ops *toolchain;
  struct kiln_key key; /* request fields, then toolchain and dependencies */
  struct kiln_digest request, identity, entry;
  bool identity_known;    /* false: no compiler, or KILN_JIT=off */
  bool identity_recorded; /* identity is that of the newest record, since it is not known */
  bool entry_known;       /* recorded dependencies led to an entry key */
  struct kiln_buf toolchain_text;
  struct kiln_request_record record;
  bool record_moved;              /* files of the record moved, their content did not: worth writing again */
  bool rebuild;                   /* an entry that is found is not used: it did not load */
  struct kiln_error no_toolchain; /* why identity_known is false */

  struct kiln_buf *texts; /* content of each source, as it was hashed */
  size_t text_count;
  struct kiln_memo_file *files; /* the sources that are files, as they were before they were read */
  size_t file_count;
  char **roots; /* folders of dependencies: includes in order, then the folder of each source ("" of a text) */
  size_t root_count;

  size_t request_fields; /* of key */
  struct kiln_hasher request_hasher;
};
/* plan_begin and plan_complete in one. */
enum kiln_status kiln_plan_init(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error);
/* What can be known from the spec alone: toolchain, texts, roots, request. On failure nothing is left to release. */
enum kiln_status kiln_plan_begin(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error);
/* Toolchain identity, record and entry key, as they are now; may be called again after waiting. A missing compiler or
 * record is no failure. */
enum kiln_status kiln_plan_complete(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error);
/* Replace what follows the request in the key by the toolchain and the dependencies of `record`, and set plan->entry.
 * KILN_ERROR_MEMORY only. */
enum kiln_status kiln_plan_set_entry(
    struct kiln_plan *plan, const struct kiln_request_record *record, struct kiln_error *error);
void kiln_plan_release(struct kiln_plan *plan);

/* The entry of this spec, found or built. *result HIT or BUILT. found is checked and open (found->fd < 0: only its
 * bytes are there); found->path is NULL when the entry is in no store. */
enum kiln_status kiln_entry_obtain(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan,
    struct kiln_found *found, enum kiln_result *result, double *build_ms, struct kiln_error *error);

#endif
