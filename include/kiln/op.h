/*
 * kiln/op.h: calling ops by name. For one op with its types there is kiln/ops/<op>.h.
 *
 * libkiln_ops, which needs libkiln. An op is called with its arguments in the order of its reference page (docs/ops/):
 * results are arguments too, nothing is allocated. Arguments are checked completely the first time a signature is seen
 * (dtypes, shapes, strides, devices), and compared with what was checked from then on. A kernel that is not there is
 * compiled at its first call, or comes from the store.
 *
 * On a GPU a call is asynchronous, in `stream` (CUstream or cudaStream_t; NULL: the default stream); on the CPU the
 * work is done when it returns. Thread safety: every function from any thread.
 */
#ifndef KILN_OP_H
#define KILN_OP_H

#include <stddef.h>

#include "kiln/context.h"
#include "kiln/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kiln_op;

/* The i-th op; NULL behind the last. */
KILN_API const struct kiln_op *kiln_op_at(size_t index);
/* By name; NULL when there is none. */
KILN_API const struct kiln_op *kiln_op_find(const char *name);
/* "rmsnorm"; as long as the library. */
KILN_API const char *kiln_op_name(const struct kiln_op *op);

/* Check, find the kernel, start it. values: `count` of them, one for each argument; an optional one is left out by a
 * zeroed value. KILN_ERROR_ARGUMENT: an argument is refused; the sentence names it, what was expected and what came.
 * KILN_ERROR_ENVIRONMENT: nothing is built for this device. Others as kiln_module_load and kiln_launch
 * (KILN_ERROR_CAPTURE: the stream is captured and the kernel was not loaded before). When it fails nothing was started.
 */
KILN_API enum kiln_status kiln_op_call(struct kiln *kiln, const struct kiln_op *op, void *stream,
    const struct kiln_value *values, unsigned count, struct kiln_error *error);

/* Do everything but start: afterwards a call with the same arguments compiles and loads nothing, and may be captured.
 * data pointers are not followed. */
KILN_API enum kiln_status kiln_op_prepare_call(struct kiln *kiln, const struct kiln_op *op, void *stream,
    const struct kiln_value *values, unsigned count, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
