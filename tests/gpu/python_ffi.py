"""kiln's ops from Python: PyTorch tensors through tvm-ffi, compared with reference.py; what one call costs.

Usage: python_ffi.py LIBRARY KERNELS CALLS [cpu|cuda] [time]
  LIBRARY  libkiln_ops.so; its store and its sources are found as always (KILN_CACHE_DIR, KILN_KERNELS)
  KERNELS  the folder kernels/ of a tree, for <family>/<op>/reference.py
  CALLS    what `kiln op run --all --save CALLS` wrote; src/op/tool/calls.h says how
  time     no comparison, only what one call costs
Needs torch and apache-tvm-ffi, and neither kiln nor a compiler where the store has the kernels. Exit code 1: a result is
wrong, or an op was not called.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections import Counter
from typing import Any, Callable, Optional

import torch
import tvm_ffi

# |got - expected| <= tight * (1 + |expected|): rounding to the dtype, and float32 where the reference has more.
TIGHT = {
    torch.float32: 1e-4,
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
    torch.float8_e4m3fn: 0.13,
    torch.float8_e5m2: 0.26,
}
GARBAGE = 0xA5

Run = Callable[..., Any]


def load_reference(kernels: str, call: dict[str, Any]) -> Run:
    path = os.path.join(kernels, call["family"], call["op"], "reference.py")
    names: dict[str, Any] = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    return names["run"]


# ---- one call ----


class Call:
    """The arguments of one call as tensors of a device."""

    def __init__(self, call: dict[str, Any], data: bytearray, device: str) -> None:
        self.arguments = call["arguments"]
        self.data, self.device = data, device
        self.tensors: dict[str, torch.Tensor] = {}
        declared = {a["name"]: a["tensor"] for a in self.arguments if "tensor" in a}
        for name, tensor in declared.items():
            if "same_as" not in tensor:
                self.tensors[name] = self.make(tensor, self.is_input(name))
        for name, tensor in declared.items():
            if "same_as" in tensor:
                self.tensors[name] = self.tensors[tensor["same_as"]]

    def is_input(self, name: str) -> bool:
        return any(a["input"] for a in self.arguments if a["name"] == name)

    def make(self, declared: dict[str, Any], filled: bool) -> torch.Tensor:
        shape, dtype = declared["shape"], getattr(torch, declared["dtype"])
        out = torch.empty_strided(shape, declared["strides"], dtype=dtype, device=self.device)
        if out.numel() == 0:
            return out
        if declared["at"] is not None:
            dense = torch.frombuffer(self.data, dtype=dtype, count=out.numel(), offset=declared["at"])
            return out.copy_(dense.reshape(shape))
        if filled:
            return out.copy_(torch.randn(shape, device=self.device))
        return out.copy_(torch.full([out.numel() * dtype.itemsize], GARBAGE, dtype=torch.uint8).view(dtype).reshape(shape))

    def ordered(self) -> list[Any]:
        """As the op is called: results among them, extents in the order of the layout, keys and values as a tuple."""
        values: dict[str, Any] = {}
        for argument in self.arguments:
            tensor, param = self.tensors.get(argument["name"]), argument["param"]
            if tensor is None:
                value = argument["value"]
            else:
                order = argument["tensor"].get("order")
                value = tensor.permute(order) if order else tensor
            values[param] = (values[param], value) if param in values else value
        return list(values.values())

    def named(self) -> dict[str, Any]:
        """As a reference is called: copies of the inputs, and the numbers that are given."""
        given = {a["input"]: a for a in self.arguments if a["input"]}
        values = {name: a["value"] for name, a in given.items() if a.get("value") is not None}
        values.update({n: self.tensors[a["name"]].clone() for n, a in given.items() if "tensor" in a})
        return values

    def outputs(self) -> list[tuple[str, torch.Tensor]]:
        return [(a["name"], self.tensors[a["name"]]) for a in self.arguments if a["output"]]

    def kept(self) -> dict[str, torch.Tensor]:
        """Inputs that no result may touch."""
        written = [t.data_ptr() for _, t in self.outputs()]
        names = [a["name"] for a in self.arguments if a["input"] and "tensor" in a and not a["output"]]
        return {n: self.tensors[n] for n in names if self.tensors[n].data_ptr() not in written}


def difference(name: str, got: torch.Tensor, want: torch.Tensor) -> Optional[str]:
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{name} is {got.dtype} {list(got.shape)}, by reference.py {want.dtype} {list(want.shape)}"
    wide, expected, tight = got.float(), want.float(), TIGHT[got.dtype]
    far = ~torch.isclose(wide, expected, rtol=tight, atol=tight, equal_nan=True)
    if not bool(far.any()):
        return None
    at = int(far.flatten().int().argmax())
    return f"{name}, element {at}: {wide.flatten()[at]:.6g} instead of {expected.flatten()[at]:.6g}"


def run_call(function: Run, reference: Run, call: Call) -> Optional[str]:
    """What is wrong; None: nothing."""
    want = reference(**call.named())
    before = {name: tensor.clone() for name, tensor in call.kept().items()}
    result = function(*call.ordered())
    if result is not None:
        return f"it returns {result!r}"
    for name, tensor in before.items():
        if not torch.equal(tensor.view(torch.uint8), call.tensors[name].clone().view(torch.uint8)):
            return f"{name} was changed"
    pairs = zip(call.outputs(), want if isinstance(want, tuple) else (want,))
    return next((text for (name, got), w in pairs if (text := difference(name, got, w))), None)


# ---- all of them ----


def left_out(call: dict[str, Any]) -> bool:
    """reference.py of the fp8 ops knows one of the two formats: its results say no dtype."""
    outs = [a["tensor"]["dtype"] for a in call["arguments"] if a["output"] and not a["input"]]
    return "float8_e5m2" in outs


def check(module: Any, kernels: str, calls: str, device: str) -> int:
    with open(os.path.join(calls, "calls.json"), encoding="utf-8") as file:
        listed = json.load(file)
    with open(os.path.join(calls, "calls.bin"), "rb") as raw:
        data = bytearray(raw.read())
    counts: dict[str, Counter[str]] = {}
    wrong = 0
    for call in listed:
        count = counts.setdefault(call["op"], Counter())
        if left_out(call):
            count["left out"] += 1
            continue
        made = Call(call, data, device)
        says = run_call(getattr(module, call["op"]), load_reference(kernels, call), made)
        for dtype in {str(t.dtype).replace("torch.", "") for _, t in made.outputs()}:
            count[dtype] += 1
        if says:
            wrong += 1
            print(f"FAIL {call['op']} {call['case']}: {says}")
    for op, count in counts.items():
        print(f"{op}: {', '.join(f'{n} {dtype}' for dtype, n in sorted(count.items()))}")
    names = {name for name in os.listdir(kernels) if os.path.isdir(os.path.join(kernels, name)) and name != "include"}
    ops = {op for family in names for op in os.listdir(os.path.join(kernels, family))}
    missing = sorted(ops - set(counts))
    print(f"{len(listed)} calls of {len(counts)} ops on {device}, {wrong} wrong" + (f"; not called: {missing}" if missing else ""))
    return 1 if wrong or missing else 0


# ---- streams ----


def check_stream(module: Any) -> int:
    """PyTorch's stream is the op's: captured into a graph, nothing runs before the replay."""
    x = torch.randn(4, 4096, device="cuda").to(torch.bfloat16)
    weight, out = x[0].clone(), torch.empty_like(x)
    module.rmsnorm(out, x, weight)
    want = out.clone()
    out.zero_()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        module.rmsnorm(out, x, weight)
    torch.cuda.synchronize()
    early = bool(out.any())
    graph.replay()
    torch.cuda.synchronize()
    right = not early and torch.equal(out, want)
    print(f"captured by torch.cuda.graph and replayed: {'right' if right else 'WRONG, it ran in another stream' if early else 'WRONG'}")
    return 0 if right else 1


# ---- what a call costs ----


def microseconds(function: Callable[[], Any], device: str) -> list[float]:
    """Of one call on the host, asynchronously: batches short enough that no queue fills up."""
    batch, times = 500, []
    for turn in range(33):
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(batch):
            function()
        if turn >= 2:
            times.append((time.perf_counter() - begin) / batch * 1e6)
    return sorted(times)


def report(what: str, times: list[float]) -> None:
    low, high = times[len(times) // 10], times[-1 - len(times) // 10]
    print(f"{what:<58} {statistics.median(times):6.2f} us  ({low:.2f} … {high:.2f}, n {len(times)})")


def cost(module: Any, device: str) -> None:
    rows, hidden = (1, 4096) if device == "cuda" else (1, 8)
    x = torch.randn(rows, hidden, device=device).to(torch.bfloat16)
    weight, out, none = x[0].clone(), torch.empty_like(x), torch.empty_like(x[:0])
    rmsnorm, rms_norm = module.rmsnorm, torch.nn.functional.rms_norm
    views = [tvm_ffi.from_dlpack(t) for t in (out, x, weight)]
    print(f"one call from Python, rmsnorm {rows} x {hidden} bfloat16 on {device}, asynchronous; goal: 5 us")
    report("kiln, PyTorch tensors through tvm-ffi", microseconds(lambda: rmsnorm(out, x, weight), device))
    report("  the same with tvm-ffi's own tensors", microseconds(lambda: rmsnorm(*views), device))
    report("  an empty batch: checked, and nothing started", microseconds(lambda: rmsnorm(none, none, weight), device))
    report("torch.nn.functional.rms_norm", microseconds(lambda: rms_norm(x, weight.shape, weight, 1e-6), device))
    report("torch.add(x, x, out=out), one kernel", microseconds(lambda: torch.add(x, x, out=out), device))


def main() -> int:
    library, kernels, calls = sys.argv[1:4]
    device = "cpu" if "cpu" in sys.argv[4:] else "cuda"
    if device == "cpu":
        torch.set_num_threads(1)
    torch.manual_seed(int(os.environ.get("KILN_TEST_SEED") or 1))
    print(f"torch {torch.__version__}, tvm-ffi {tvm_ffi.__version__}, Python {sys.version.split()[0]}")
    module = tvm_ffi.load_module(library)
    with torch.no_grad():
        code = 0 if "time" in sys.argv[4:] else check(module, kernels, calls, device)
        code = max(code, check_stream(module) if device == "cuda" else 0)
        cost(module, device)
    return code


if __name__ == "__main__":
    sys.exit(main())
