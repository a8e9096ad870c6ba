/*
 * kiln/ops/rmsnorm.h: out = input / sqrt(mean(input^2) + eps) * weight, row by row.
 *
 * Made from kernels/norm/rmsnorm/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_RMSNORM_H
#define KILN_OPS_RMSNORM_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = input / sqrt(mean(input^2) + eps) * weight, row by row.
 *   out: [batch_size, hidden_size] or [batch_size, num_heads, hidden_size], written; normalised rows; may be input itself
 *   input: [batch_size, hidden_size] or [batch_size, num_heads, hidden_size]; rows; all strides but the last are free
 *   weight: [hidden_size]; factor of each column
 *   eps: float, optional; NAN: 1e-06; added to the mean square
 */
KILN_API enum kiln_status kiln_rmsnorm(struct kiln *kiln, void *stream,
    const struct kiln_tensor *out,
    const struct kiln_tensor *input,
    const struct kiln_tensor *weight,
    double eps,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
