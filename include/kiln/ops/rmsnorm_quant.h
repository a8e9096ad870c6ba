/*
 * kiln/ops/rmsnorm_quant.h: out = input / sqrt(mean(input^2) + eps) * weight / scale as fp8, row by row.
 *
 * Made from kernels/norm/rmsnorm_quant/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_RMSNORM_QUANT_H
#define KILN_OPS_RMSNORM_QUANT_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = input / sqrt(mean(input^2) + eps) * weight / scale as fp8, row by row.
 *   out: [batch_size, hidden_size], written; normalised rows as fp8, saturating
 *   input: [batch_size, hidden_size]; rows; the row stride is free
 *   weight: [hidden_size]; factor of each column
 *   scale: [1]; what results are divided by
 *   eps: float, optional; NAN: 1e-06; added to the mean square
 */
KILN_API enum kiln_status kiln_rmsnorm_quant(struct kiln *kiln, void *stream,
    const struct kiln_tensor *out,
    const struct kiln_tensor *input,
    const struct kiln_tensor *weight,
    const struct kiln_tensor *scale_tensor, double scale,
    double eps,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
