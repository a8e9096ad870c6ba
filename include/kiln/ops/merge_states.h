/*
 * kiln/ops/merge_states.h: The attention over several sets of keys from the attention over each: v = sum of v_i 2^(s_i - s), s = log2(sum of 2^s_i).
 *
 * Made from kernels/cascade/merge_states/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_MERGE_STATES_H
#define KILN_OPS_MERGE_STATES_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The attention over several sets of keys from the attention over each: v = sum of v_i 2^(s_i - s), s = log2(sum of 2^s_i).
 *   v: [seq_len, num_states, num_heads, head_dim]; attention over each set of keys
 *   s: [seq_len, num_states, num_heads]; base-2 log-sum-exp of each; -inf: there were no keys
 *   v_merged: [seq_len, num_heads, head_dim], written; attention over all of them
 *   s_merged: [seq_len, num_heads], written; its base-2 log-sum-exp
 */
KILN_API enum kiln_status kiln_merge_states(struct kiln *kiln, void *stream,
    const struct kiln_tensor *v,
    const struct kiln_tensor *s,
    const struct kiln_tensor *v_merged,
    const struct kiln_tensor *s_merged,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
