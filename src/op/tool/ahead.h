/*
 * The ahead-of-time list of an op: every kernel that its benchmark shapes would use, for named targets. Made from the
 * table; what a package holds, and what `kiln op list --ahead --build` compiles.
 */
#ifndef KILN_OP_TOOL_AHEAD_H
#define KILN_OP_TOOL_AHEAD_H

#include "kiln/module.h"
#include "op/call.h"

/* One kernel of the list; valid during the visit. */
struct kiln_ahead {
  const struct kiln_checked *checked;
  const struct kiln_value *values;
  const struct kiln_target *target;
  const char *uri;
};
/* Call visit for each kernel of one op and target, each once; it returns false to stop. KILN_ERROR_MEMORY only. */
enum kiln_status kiln_ahead_list(const struct kiln_op *op, const struct kiln_target *target,
    bool (*visit)(void *context, const struct kiln_ahead *ahead), void *context, struct kiln_error *error);
/* Compile one into the store, without a device. */
enum kiln_status kiln_ahead_build(
    struct kiln *kiln, const struct kiln_ahead *ahead, enum kiln_result *result, double *ms, struct kiln_error *error);

#endif
