/*
 * Calling an op: what a kiln keeps of ops, and the way of one call. Public functions: kiln/op.h.
 *
 * Warm: the signature is found in a table of the op by comparing, what may differ is checked, the parameters are packed
 * and the kernel is started; no lock, no allocation. Cold: checked by the table, kernel compiled or found, both kept.
 * Tables only grow, up to a limit; a call that finds them full pays for its check again.
 */
#ifndef KILN_OP_CALL_H
#define KILN_OP_CALL_H

#include "kiln/op.h"
#include "op/check.h"
#include "op/kernel.h"
#include "op/signature.h"

struct kiln_ops; /* what a kiln keeps of ops; attached to it */

/* KILN_ERROR_MEMORY, or why kernel sources are not to be found. */
enum kiln_status kiln_ops_of(struct kiln *kiln, struct kiln_ops **ops, struct kiln_error *error);
/* Where kernel sources are read from; as long as the kiln. */
const struct kiln_sources *kiln_ops_sources(const struct kiln_ops *ops);

/* What code runs on a device; asked once a device. KILN_ERROR_ARGUMENT: nothing of kiln runs there. */
enum kiln_status kiln_ops_target(
    void *ops, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error);

/* A call as the entries make it. */
struct kiln_op_request {
  const struct kiln_op *op;
  void *stream;
  const struct kiln_value *values;
  unsigned count;
  bool only_prepare; /* everything but the start */
};
/* As kiln_op_call; *refusal (may be NULL) says why arguments were refused. */
enum kiln_status kiln_op_invoke(
    struct kiln *kiln, const struct kiln_op_request *request, enum kiln_refusal *refusal, struct kiln_error *error);

/* The same up to the kernel: *signature stays valid as long as the kiln, or, when the table is full, until `scratch` is
 * changed. For tools that show or time what a call would do. */
enum kiln_status kiln_op_resolve(struct kiln_ops *ops, const struct kiln_op_request *request,
    struct kiln_signature *scratch, const struct kiln_signature **signature, enum kiln_refusal *refusal,
    struct kiln_error *error);
/* Pack and start. */
enum kiln_status kiln_op_start(struct kiln_ops *ops, const struct kiln_signature *signature,
    const struct kiln_value *values, void *stream, struct kiln_error *error);

#endif
