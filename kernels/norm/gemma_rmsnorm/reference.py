import torch


def run(hidden_states, weight, eps=1e-6):
    x = hidden_states.to(torch.float32)
    scale = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)
    return (x * scale * (1 + weight.to(torch.float32))).to(hidden_states.dtype)
