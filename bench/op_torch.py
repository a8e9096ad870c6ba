"""Times calls of PyTorch as `kiln op bench` times its own: `kiln op bench --vs torch` runs this.

Usage: op_torch.py FOLDER KERNELS DEVICE ROUNDS
  FOLDER   calls.json and calls.bin, as src/op/tool/calls.h says
  KERNELS  <family>/<op>/torch.py there has a `run` that is called with the inputs by name; reference.py where there is
           no torch.py, and what its results are compared with
Prints a line a call, {"call", "version", "timer", "sets", "times"}: seconds of one run in the order they were measured;
or {"call", "version", "says"}: why there are none, "differs: …" or "failed: …".
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Callable, Iterator, Optional

import torch

WARM_UP = 3
CPU_ROUND = 200e-6  # a round repeats what is shorter, so that the clock can tell
# |got - expected| <= loose * (1 + |expected|): a wrong torch.py is further away, one that rounds otherwise is not.
LOOSE = {torch.float8_e4m3fn: 0.2, torch.float8_e5m2: 0.3}

Run = Callable[..., Any]
Tensors = dict[str, torch.Tensor]


# ---- inputs ----


class Calls:
    """The calls of a folder, with their data."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "calls.json"), encoding="utf-8") as file:
            self.calls = json.load(file)
        with open(os.path.join(folder, "calls.bin"), "rb") as data:
            self.data = bytearray(data.read())

    def tensor(self, declared: dict[str, Any], device: str) -> torch.Tensor:
        """With the shape and the strides that it has in kiln's call; random where there is no data."""
        shape, dtype = declared["shape"], getattr(torch, declared["dtype"])
        out = torch.empty_strided(shape, declared["strides"], dtype=dtype, device=device)
        if out.numel() == 0:
            return out
        if declared["at"] is None:
            return out.copy_(torch.randn(shape, device=device))
        dense = torch.frombuffer(self.data, dtype=dtype, count=out.numel(), offset=declared["at"])
        return out.copy_(dense.reshape(shape))


def split(arguments: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Declared tensors and numbers that `run` takes, by name. What is absent has its default."""
    given = {a["input"]: a for a in arguments if a["input"]}
    tensors = {name: a["tensor"] for name, a in given.items() if "tensor" in a}
    return tensors, {name: a["value"] for name, a in given.items() if a.get("value") is not None}


def like(tensors: Tensors) -> Tensors:
    copies = {}
    for name, tensor in tensors.items():
        copies[name] = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)
        copies[name].copy_(tensor)
    return copies


# ---- what is run ----


def load(path: str) -> Run:
    names: dict[str, Any] = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    return names["run"]


def as_list(result: Any) -> list[torch.Tensor]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def compare(name: str, declared: dict[str, Any], got: torch.Tensor, want: torch.Tensor) -> Optional[str]:
    dtype = getattr(torch, declared["dtype"])
    for what, tensor in (("torch.py", got), ("reference.py", want)):
        if list(tensor.shape) != declared["shape"] or tensor.dtype != dtype:
            return f"{name} of {what} is {tensor.dtype} {list(tensor.shape)} instead of {dtype} {declared['shape']}"
    wide, expected, loose = got.float(), want.float(), LOOSE.get(dtype, 0.1)
    far = ~torch.isclose(wide, expected, rtol=loose, atol=loose, equal_nan=True)
    count = int(far.sum())
    if count == 0:
        return None
    at = int(far.flatten().int().argmax())
    return f"{name}, {count} of {far.numel()} elements, element {at}: {wide.flatten()[at]:.6g} instead of {expected.flatten()[at]:.6g}"


def difference(arguments: list[dict[str, Any]], got: list[torch.Tensor], want: list[torch.Tensor]) -> Optional[str]:
    outputs = [(a["output"], a["tensor"]) for a in arguments if a["output"]]
    if not len(outputs) == len(got) == len(want):
        return f"{len(outputs)} results are declared, torch.py gives {len(got)} and reference.py {len(want)}"
    said = (compare(name, declared, g, w) for (name, declared), g, w in zip(outputs, got, want))
    return next((text for text in said if text), None)


# ---- time ----


def time_cuda(run: Run, sets: list[dict[str, Any]], rounds: int) -> Iterator[float]:
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for inputs in sets[:2]:
            run(**inputs)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for inputs in sets:
            run(**inputs)
    for turn in range(rounds + WARM_UP):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        if turn >= WARM_UP:
            yield begin.elapsed_time(end) / 1e3 / len(sets)


def time_cpu(run: Run, sets: list[dict[str, Any]], rounds: int) -> Iterator[float]:
    place, repeat = 0, 1
    for turn in range(rounds + WARM_UP):
        begin = time.perf_counter()
        for _ in range(repeat):
            run(**sets[place])
            place = (place + 1) % len(sets)
        seconds = time.perf_counter() - begin
        if turn >= WARM_UP:
            yield seconds / repeat
        elif seconds < CPU_ROUND:
            repeat = int(CPU_ROUND * repeat / seconds) + 1


# ---- all of it ----


def bench(calls: Calls, call: dict[str, Any], kernels: str, device: str, rounds: int) -> dict[str, Any]:
    folder = os.path.join(kernels, call["family"], call["op"])
    reference, path = load(os.path.join(folder, "reference.py")), os.path.join(folder, "torch.py")
    run = load(path) if os.path.exists(path) else reference
    declared, numbers = split(call["arguments"])
    first = {name: calls.tensor(tensor, device) for name, tensor in declared.items()}
    # Before torch.py, which may write into what it is given.
    want = as_list(reference(**first, **numbers))
    trial = like(first)
    says = difference(call["arguments"], as_list(run(**trial, **numbers)), want)
    del want, trial
    if says:
        return {"says": "differs: " + says}
    sets = [{**first, **numbers}] + [{**like(first), **numbers} for _ in range(call.get("sets", 2) - 1)]
    on_gpu = device.startswith("cuda")
    times = list((time_cuda if on_gpu else time_cpu)(run, sets, rounds))
    return {"timer": "graph replay, events" if on_gpu else "clock", "sets": len(sets), "times": times}


def main() -> int:
    folder, kernels, device, rounds = sys.argv[1:5]
    calls = Calls(folder)
    if device.startswith("cuda"):
        torch.cuda.set_device(device)
    else:
        torch.set_num_threads(1)  # as kiln's own
    for i, call in enumerate(calls.calls):
        try:
            with torch.no_grad():
                result = bench(calls, call, kernels, device, int(rounds))
        except Exception as error:  # the others are still worth their time
            result = {"says": "failed: " + " ".join(f"{type(error).__name__}: {error}".split())}
        print(json.dumps({"call": i, "version": torch.__version__, **result}), flush=True)
        if device.startswith("cuda"):
            torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
