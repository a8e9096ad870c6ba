/*
 * kiln/ops/gemma_rmsnorm.h: out = input / sqrt(mean(input^2) + eps) * (1 + weight), row by row.
 *
 * Made from kernels/norm/gemma_rmsnorm/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_GEMMA_RMSNORM_H
#define KILN_OPS_GEMMA_RMSNORM_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = input / sqrt(mean(input^2) + eps) * (1 + weight), row by row.
 *   out: [batch_size, hidden_size] or [batch_size, num_heads, hidden_size], written; normalised rows; may be input itself
 *   input: [batch_size, hidden_size] or [batch_size, num_heads, hidden_size]; rows; all strides but the last are free
 *   weight: [hidden_size]; factor of each column, less 1
 *   eps: float, optional; NAN: 1e-06; added to the mean square
 */
KILN_API enum kiln_status kiln_gemma_rmsnorm(struct kiln *kiln, void *stream,
    const struct kiln_tensor *out,
    const struct kiln_tensor *input,
    const struct kiln_tensor *weight,
    double eps,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
