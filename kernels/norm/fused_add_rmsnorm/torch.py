import torch


def run(input, residual, weight, eps=1e-6):
    residual += input
    return torch.nn.functional.rms_norm(residual, weight.shape, weight, eps), residual
