"""Times an op of PyTorch as `kiln op bench` times its own: `kiln op bench --vs torch` runs this.

Usage: op_torch.py DEFINITION SOURCE DEVICE ROUNDS AXES
  DEFINITION  a trace definition; SOURCE: a Python file with `run`, called with its inputs by name
  AXES        "batch_size=16 …": the axes that the definition leaves open
Prints {"timer", "version", "sets", "times"}: seconds of one call, in the order they were measured.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Callable

import torch

WARM_UP = 3


def make_inputs(definition: dict[str, Any], axes: dict[str, int], device: str) -> dict[str, torch.Tensor]:
    inputs = {}
    for name, declared in definition["inputs"].items():
        if declared["shape"] is None or declared.get("optional"):
            continue
        shape = [axes[axis] for axis in declared["shape"]]
        dtype = getattr(torch, declared["dtype"])
        if dtype.is_floating_point:
            inputs[name] = torch.randn(shape, device=device, dtype=torch.float32).to(dtype)
        else:
            inputs[name] = torch.zeros(shape, device=device, dtype=dtype)
    return inputs


def bytes_of(inputs: dict[str, torch.Tensor], result: Any) -> int:
    results = result if isinstance(result, (tuple, list)) else [result]
    tensors = list(inputs.values()) + [r for r in results if isinstance(r, torch.Tensor)]
    return sum(t.numel() * t.element_size() for t in tensors)


def time_cuda(run: Callable[..., Any], sets: list[dict[str, torch.Tensor]], rounds: int) -> list[float]:
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for inputs in sets[:2]:
            run(**inputs)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for inputs in sets:
            run(**inputs)
    times = []
    for turn in range(rounds + WARM_UP):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        if turn >= WARM_UP:
            times.append(begin.elapsed_time(end) / 1e3 / len(sets))
    return times


def time_cpu(run: Callable[..., Any], sets: list[dict[str, torch.Tensor]], rounds: int) -> list[float]:
    times = []
    for turn in range(rounds + WARM_UP):
        inputs = sets[turn % len(sets)]
        begin = time.perf_counter()
        run(**inputs)
        if turn >= WARM_UP:
            times.append(time.perf_counter() - begin)
    return times


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        definition = json.load(file)
    source, device, rounds = sys.argv[2], sys.argv[3], int(sys.argv[4])
    axes = {name: axis["value"] for name, axis in definition["axes"].items() if "value" in axis}
    axes.update((name, int(value)) for name, value in (word.split("=") for word in sys.argv[5].split()))
    names: dict[str, Any] = {}
    with open(source, encoding="utf-8") as file:
        exec(compile(file.read(), source, "exec"), names)
    run = names["run"]
    on_gpu = device.startswith("cuda")
    with torch.no_grad():
        first = make_inputs(definition, axes, device)
        cache = 5 * torch.cuda.get_device_properties(device).L2_cache_size if on_gpu else 64 << 20
        count = max(2, min(1024, cache // max(1, bytes_of(first, run(**first))) + 1))
        sets = [first] + [make_inputs(definition, axes, device) for _ in range(count - 1)]
        times = (time_cuda if on_gpu else time_cpu)(run, sets, rounds)
    timer = "graph replay, events" if on_gpu else "clock"
    print(json.dumps({"timer": timer, "version": torch.__version__, "sets": count, "times": times}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
