import math

import torch


def run(q, k, pos_ids, rotary_dim=None, interleave=False, rope_scale=1.0, rope_theta=1e4):
    rotary_dim = rotary_dim or q.shape[-1]
    half = rotary_dim // 2
    frequency = torch.exp(torch.arange(half, device=q.device, dtype=torch.float32) * (-math.log(rope_theta) / half))
    frequency = frequency / rope_scale
    angle = pos_ids[:, None, None] * frequency
    cos, sin = angle.cos().to(q.dtype), angle.sin().to(q.dtype)

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
