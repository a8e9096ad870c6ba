import torch


def run(q, k, cos_sin_cache, pos_ids, interleave=False):
    cos, sin = cos_sin_cache.index_select(0, pos_ids).to(q.dtype)[:, None].chunk(2, dim=-1)
    half = cos.shape[-1]
    rotary_dim = 2 * half

    def turn(x):
        out = torch.empty_like(x)
        one, two = x[..., :half], x[..., half:rotary_dim]
        to_one, to_two = out[..., :half], out[..., half:rotary_dim]
        if interleave:
            one, two = x[..., 0:rotary_dim:2], x[..., 1:rotary_dim:2]
            to_one, to_two = out[..., 0:rotary_dim:2], out[..., 1:rotary_dim:2]
        torch.mul(one, cos, out=to_one).addcmul_(two, sin, value=-1)
        torch.mul(two, cos, out=to_two).addcmul_(one, sin)
        out[..., rotary_dim:] = x[..., rotary_dim:]
        return out

    return turn(q), turn(k)
