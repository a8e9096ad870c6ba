import torch


def run(v_a, s_a, v_b, s_b):
    s = torch.logaddexp2(s_a, s_b)
    empty = torch.isneginf(s)
    a = torch.where(empty, 0.0, torch.exp2(s_a - s)).unsqueeze(-1)
    b = torch.where(empty, 0.0, torch.exp2(s_b - s)).unsqueeze(-1)
    v = a * v_a.to(torch.float32) + b * v_b.to(torch.float32)
    return v.to(v_a.dtype), s
