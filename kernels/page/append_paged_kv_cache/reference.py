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
    new_k_cache, new_v_cache = k_cache.clone(), v_cache.clone()
    page_size = k_cache.shape[1]
    given = batch_indices >= 0
    batch, position = batch_indices[given].long(), positions[given].long()
    page = kv_indices.long()[kv_indptr.long()[batch] + torch.div(position, page_size, rounding_mode="floor")]
    new_k_cache[page, position % page_size] = append_key[given]
    new_v_cache[page, position % page_size] = append_value[given]
    return new_k_cache, new_v_cache
