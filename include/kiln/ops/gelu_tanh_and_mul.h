/*
 * kiln/ops/gelu_tanh_and_mul.h: out = gelu(first half) * second half, gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), row by row.
 *
 * Made from kernels/activation/gelu_tanh_and_mul/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_GELU_TANH_AND_MUL_H
#define KILN_OPS_GELU_TANH_AND_MUL_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gelu(first half) * second half, gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), row by row.
 *   out: [num_tokens, hidden_size], written; activated and multiplied rows
 *   input: [num_tokens, 2 * hidden_size]; rows: first what is activated, then the factors
 */
KILN_API enum kiln_status kiln_gelu_tanh_and_mul(struct kiln *kiln, void *stream,
    const struct kiln_tensor *out,
    const struct kiln_tensor *input,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
