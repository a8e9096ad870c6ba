/*
 * kiln/ops/silu_and_mul.h: out = silu(first half) * second half, silu(x) = x / (1 + e^-x), row by row.
 *
 * Made from kernels/activation/silu_and_mul/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_SILU_AND_MUL_H
#define KILN_OPS_SILU_AND_MUL_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = silu(first half) * second half, silu(x) = x / (1 + e^-x), row by row.
 *   out: [num_tokens, hidden_size], written; activated and multiplied rows
 *   input: [num_tokens, 2 * hidden_size]; rows: first what is activated, then the factors
 */
KILN_API enum kiln_status kiln_silu_and_mul(struct kiln *kiln, void *stream,
    const struct kiln_tensor *out,
    const struct kiln_tensor *input,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
