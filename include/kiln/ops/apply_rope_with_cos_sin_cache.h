/*
 * kiln/ops/apply_rope_with_cos_sin_cache.h: Turn pairs of q and k by the cosines and sines that a cache has for the position of their token.
 *
 * Made from kernels/rope/apply_rope_with_cos_sin_cache/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_APPLY_ROPE_WITH_COS_SIN_CACHE_H
#define KILN_OPS_APPLY_ROPE_WITH_COS_SIN_CACHE_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turn pairs of q and k by the cosines and sines that a cache has for the position of their token.
 *   q: [nnz, num_qo_heads, head_dim]; queries
 *   k: [nnz, num_kv_heads, head_dim]; keys
 *   q_rope: [nnz, num_qo_heads, head_dim], written; turned queries; may be q itself
 *   k_rope: [nnz, num_kv_heads, head_dim], written; turned keys; may be k itself
 *   cos_sin_cache: [max_position, rotary_dim]; of each position: cosines, then sines
 *   pos_ids: [nnz]; position of each token
 *   interleave: bool, optional; KILN_ABSENT: 0; pairs are neighbours; else element i and i + rotary_dim / 2
 */
KILN_API enum kiln_status kiln_apply_rope_with_cos_sin_cache(struct kiln *kiln, void *stream,
    const struct kiln_tensor *q,
    const struct kiln_tensor *k,
    const struct kiln_tensor *q_rope,
    const struct kiln_tensor *k_rope,
    const struct kiln_tensor *cos_sin_cache,
    const struct kiln_tensor *pos_ids,
    int64_t interleave,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
