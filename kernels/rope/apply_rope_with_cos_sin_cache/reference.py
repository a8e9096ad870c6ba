import torch


def run(q, k, cos_sin_cache, pos_ids, interleave=False):
    cos, sin = cos_sin_cache[pos_ids.long()][:, None].chunk(2, dim=-1)
    half = cos.shape[-1]
    rotary_dim = 2 * half

    def turn(x):
        out = x.to(torch.float32).clone()
        one, two = (slice(0, rotary_dim, 2), slice(1, rotary_dim, 2)) if interleave else (
            slice(0, half), slice(half, rotary_dim))
        out[..., one] = x[..., one] * cos - x[..., two] * sin
        out[..., two] = x[..., two] * cos + x[..., one] * sin
        return out.to(x.dtype)

    return turn(q), turn(k)
