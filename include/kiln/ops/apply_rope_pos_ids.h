/*
 * kiln/ops/apply_rope_pos_ids.h: Turn pairs of q and k by the position of their token.
 *
 * Made from kernels/rope/apply_rope_pos_ids/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_APPLY_ROPE_POS_IDS_H
#define KILN_OPS_APPLY_ROPE_POS_IDS_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turn pairs of q and k by the position of their token.
 *   q: [nnz, num_qo_heads, head_dim]; queries
 *   k: [nnz, num_kv_heads, head_dim]; keys
 *   q_rope: [nnz, num_qo_heads, head_dim], written; turned queries; may be q itself
 *   k_rope: [nnz, num_kv_heads, head_dim], written; turned keys; may be k itself
 *   pos_ids: [nnz]; position of each token
 *   rotary_dim: int, optional; KILN_ABSENT: as the tensors say; how much of a head is turned; all of it when absent
 *   interleave: bool, optional; KILN_ABSENT: 0; pairs are neighbours; else element i and i + rotary_dim / 2
 *   rope_scale: float, optional; NAN: 1; positions are divided by it
 *   rope_theta: float, optional; NAN: 10000; base of the wavelengths
 */
KILN_API enum kiln_status kiln_apply_rope_pos_ids(struct kiln *kiln, void *stream,
    const struct kiln_tensor *q,
    const struct kiln_tensor *k,
    const struct kiln_tensor *q_rope,
    const struct kiln_tensor *k_rope,
    const struct kiln_tensor *pos_ids,
    int64_t rotary_dim,
    int64_t interleave,
    double rope_scale,
    double rope_theta,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
