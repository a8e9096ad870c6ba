import torch


def run(hidden_states, weight, eps=1e-6):
    return torch.nn.functional.rms_norm(hidden_states, weight.shape, weight + 1, eps)
