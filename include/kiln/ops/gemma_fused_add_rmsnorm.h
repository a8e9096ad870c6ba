/*
 * kiln/ops/gemma_fused_add_rmsnorm.h: residual += input; input = residual / sqrt(mean(residual^2) + eps) * (1 + weight), row by row.
 *
 * Made from kernels/norm/gemma_fused_add_rmsnorm/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_GEMMA_FUSED_ADD_RMSNORM_H
#define KILN_OPS_GEMMA_FUSED_ADD_RMSNORM_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* residual += input; input = residual / sqrt(mean(residual^2) + eps) * (1 + weight), row by row.
 *   input: [batch_size, hidden_size], read and written; what is added to residual; becomes the normalised sum
 *   residual: [batch_size, hidden_size], read and written; becomes the sum
 *   weight: [hidden_size]; factor of each column, less 1
 *   eps: float, optional; NAN: 1e-06; added to the mean square
 */
KILN_API enum kiln_status kiln_gemma_fused_add_rmsnorm(struct kiln *kiln, void *stream,
    const struct kiln_tensor *input,
    const struct kiln_tensor *residual,
    const struct kiln_tensor *weight,
    double eps,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
