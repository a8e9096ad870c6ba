/*
 * kiln/ops/apply_llama31_rope.h: Turn pairs of q and k by the position of their token (offsets of requests), wavelengths scaled as in Llama 3.1.
 *
 * Made from kernels/rope/apply_llama31_rope/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_APPLY_LLAMA31_ROPE_H
#define KILN_OPS_APPLY_LLAMA31_ROPE_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turn pairs of q and k by the position of their token (offsets of requests), wavelengths scaled as in Llama 3.1.
 *   q: [nnz, num_qo_heads, head_dim]; queries
 *   k: [nnz, num_kv_heads, head_dim]; keys
 *   q_rope: [nnz, num_qo_heads, head_dim], written; turned queries; may be q itself
 *   k_rope: [nnz, num_kv_heads, head_dim], written; turned keys; may be k itself
 *   indptr: [batch_size + 1]; where the tokens of each request begin and the last ones end
 *   offsets: [batch_size]; position of the first token of each request
 *   rotary_dim: int, optional; KILN_ABSENT: as the tensors say; how much of a head is turned; all of it when absent
 *   interleave: bool, optional; KILN_ABSENT: 0; pairs are neighbours; else element i and i + rotary_dim / 2
 *   rope_scale: float, optional; NAN: 8; positions are divided by it
 *   rope_theta: float, optional; NAN: 500000; base of the wavelengths
 *   low_freq_factor: float, optional; NAN: 1; wavelengths above old_context_len by it are scaled
 *   high_freq_factor: float, optional; NAN: 4; wavelengths below old_context_len by it are not
 *   old_context_len: float, optional; NAN: 8192; positions the model was first trained for
 */
KILN_API enum kiln_status kiln_apply_llama31_rope(struct kiln *kiln, void *stream,
    const struct kiln_tensor *q,
    const struct kiln_tensor *k,
    const struct kiln_tensor *q_rope,
    const struct kiln_tensor *k_rope,
    const struct kiln_tensor *indptr,
    const struct kiln_tensor *offsets,
    int64_t rotary_dim,
    int64_t interleave,
    double rope_scale,
    double rope_theta,
    double low_freq_factor,
    double high_freq_factor,
    double old_context_len,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
