/*
 * From a spec to an entry: lookup, wait or build, validate, publish. No loading here.
 */
#ifndef KILN_JIT_BUILD_H
#define KILN_JIT_BUILD_H

#include "jit/context.h"
#include "jit/toolchain_ops.h"
#include "kiln/module.h"

/* Everything a lookup of one spec computes. Order: plan_init, …, plan_release. */
struct kiln_plan {
  const struct kiln_toolchain_ops *toolchain;
  struct kiln_key key; /* request fields, then toolchain and dependencies */
  struct kiln_digest request, identity, entry;
  bool identity_known; /* false: no compiler, or KILN_JIT=off */
  bool entry_known;    /* recorded dependencies led to an entry key */
  struct kiln_buf toolchain_text;
  struct kiln_request_record record;
};
enum kiln_status kiln_plan_init(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error);
void kiln_plan_release(struct kiln_plan *plan);

/* The entry of this spec, found or built. *result HIT or BUILT. found is checked and open. */
enum kiln_status kiln_entry_obtain(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan,
    struct kiln_found *found, enum kiln_result *result, double *build_ms, struct kiln_error *error);

#endif
