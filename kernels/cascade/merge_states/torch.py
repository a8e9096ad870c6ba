import math

import torch


def run(v, s):
    s_merged = torch.logsumexp(s * math.log(2), dim=1) / math.log(2)
    weights = torch.exp2(s - s_merged.unsqueeze(1))
    weights = torch.where(torch.isneginf(s_merged).unsqueeze(1), 0.0, weights)
    v_merged = (weights.unsqueeze(-1) * v.to(torch.float32)).sum(dim=1)
    return v_merged.to(v.dtype), s_merged
