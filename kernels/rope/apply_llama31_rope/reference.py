import torch


def run(q, k, indptr, offsets, rotary_dim=None, interleave=False, rope_scale=8.0, rope_theta=5e5, low_freq_factor=1.0, high_freq_factor=4.0, old_context_len=8192.0):
    rotary_dim = rotary_dim or q.shape[-1]
    half = rotary_dim // 2
    token = torch.arange(q.shape[0], device=q.device)
    request = torch.searchsorted(indptr[1:].long(), token, right=True).clamp(max=offsets.shape[0] - 1)
    pos_ids = offsets[request] + token - indptr[request]
    frequency = rope_theta ** (-torch.arange(half, device=q.device, dtype=torch.float64) / half)
    smooth = frequency * old_context_len / (2 * torch.pi) - low_freq_factor
    smooth = (smooth / (high_freq_factor - low_freq_factor)).clamp(0, 1)
    frequency = frequency * (smooth + (1 - smooth) / rope_scale)
    angle = pos_ids.to(torch.float64)[:, None, None] * frequency
    cos, sin = angle.cos().to(torch.float32), angle.sin().to(torch.float32)

    def turn(x):
        out = x.to(torch.float32).clone()
        one, two = (slice(0, rotary_dim, 2), slice(1, rotary_dim, 2)) if interleave else (
            slice(0, half), slice(half, rotary_dim))
        out[..., one] = x[..., one] * cos - x[..., two] * sin
        out[..., two] = x[..., two] * cos + x[..., one] * sin
        return out.to(x.dtype)

    return turn(q), turn(k)
