/*
 * kiln/ops/append_paged_kv_cache.h: Writes the keys and values of new tokens into the pages of their requests.
 *
 * Made from kernels/page/append_paged_kv_cache/op.c; do not edit. Errors, streams and thread safety: kiln/op.h.
 */
/* clang-format off */
#ifndef KILN_OPS_APPEND_PAGED_KV_CACHE_H
#define KILN_OPS_APPEND_PAGED_KV_CACHE_H

#include "kiln/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kv_layout */
enum { KILN_APPEND_PAGED_KV_CACHE_KV_LAYOUT_NHD = 0, KILN_APPEND_PAGED_KV_CACHE_KV_LAYOUT_HND = 1 };

/* Writes the keys and values of new tokens into the pages of their requests.
 *   append_key: [nnz, num_kv_heads, head_dim]; keys of the tokens
 *   append_value: [nnz, num_kv_heads, head_dim]; values of the tokens
 *   batch_indices: [nnz]; the request of each token; negative: the token is left out
 *   positions: [nnz]; its position in the request
 *   k_cache: [num_pages, page_size, num_kv_heads, head_dim], read and written; pages of keys
 *   v_cache: [num_pages, page_size, num_kv_heads, head_dim], read and written; pages of values
 *   kv_indices: [num_kv_indices]; the pages of all requests, one request behind the other
 *   kv_indptr: [batch_size + 1]; where the pages of each request begin, and the last ones end
 *   kv_last_page_len: [batch_size], optional; tokens on the last page of each request; positions say all that is needed
 *   kv_layout: name, optional; KILN_ABSENT: 0; order of the extents of a page: tokens, heads (NHD) or heads, tokens (HND)
 */
KILN_API enum kiln_status kiln_append_paged_kv_cache(struct kiln *kiln, void *stream,
    const struct kiln_tensor *append_key,
    const struct kiln_tensor *append_value,
    const struct kiln_tensor *batch_indices,
    const struct kiln_tensor *positions,
    const struct kiln_tensor *k_cache,
    const struct kiln_tensor *v_cache,
    const struct kiln_tensor *kv_indices,
    const struct kiln_tensor *kv_indptr,
    const struct kiln_tensor *kv_last_page_len,
    int64_t kv_layout,
    struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
