/*
 * kiln/ops/merge_state.h: The attention over two sets of keys from the attention over each: v = (v_a 2^s_a + v_b 2^s_b) / 2^s, s = log2(2^s_a + 2^s_b).
 *
 * Made from kernels/cascade/merge_state/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_MERGE_STATE_H
#define KILN_OPS_MERGE_STATE_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The attention over two sets of keys from the attention over each: v = (v_a 2^s_a + v_b 2^s_b) / 2^s, s = log2(2^s_a + 2^s_b).
 *   v_a: [seq_len, num_heads, head_dim]; attention over one set of keys
 *   s_a: [seq_len, num_heads]; its base-2 log-sum-exp; -inf: there were no keys
 *   v_b: [seq_len, num_heads, head_dim]; attention over another set
 *   s_b: [seq_len, num_heads]; its base-2 log-sum-exp
 *   v_merged: [seq_len, num_heads, head_dim], written; attention over both; may be v_a itself
 *   s_merged: [seq_len, num_heads], written; its base-2 log-sum-exp; may be s_a itself
 */
KILN_API enum kiln_status kiln_merge_state(struct kiln *kiln, void *stream,
    const struct kiln_tensor *v_a,
    const struct kiln_tensor *s_a,
    const struct kiln_tensor *v_b,
    const struct kiln_tensor *s_b,
    const struct kiln_tensor *v_merged,
    const struct kiln_tensor *s_merged,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
