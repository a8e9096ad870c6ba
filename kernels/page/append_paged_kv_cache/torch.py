import torch


def run(
    append_key,
    append_value,
    batch_indices,
    positions,
    k_cache,
    v_cache,
    kv_indices,
    kv_indptr,
    kv_last_page_len=None,
):
    # Every token has a place here: to leave out those with a negative index, the host would have to wait for the GPU.
    page_size = k_cache.shape[1]
    position = positions.long()
    place = kv_indptr.long()[batch_indices.long()] + torch.div(position, page_size, rounding_mode="floor")
    where = (kv_indices.long()[place], position % page_size)
    k_cache.index_put_(where, append_key)
    v_cache.index_put_(where, append_value)
    return k_cache, v_cache
