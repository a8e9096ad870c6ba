"""What kiln's hooks add to a launch: one process, hooks on and off in random blocks. Run under the agent (run.sh).

Off is not a process without kiln but the same one with all taken back that lies on the way of a launch: the thunk on
the kernel's address (or the hook on the GPU's launch function) and the class of the configuration. A third arm does the
same as off: what the method itself sees between equal things.
Prints medians of paired differences with a 95 % interval (order statistics), CPU time of the launching thread.
"""

import ctypes
import random
import sys
import time

import warp as wp

LAUNCHES, WARMUP = 200, 20
context = sys.modules.get("warp._src.context") or sys.modules["warp.context"]


@wp.kernel
def step(x: wp.array(dtype=float), s: float):
    i = wp.tid()
    x[i] = x[i] * s + 1.0


class Cpu:
    """The thunk's address stands in the cell of a ctypes function."""

    def __init__(self, hooks: object, symbol: bytes, handle: bytes) -> None:
        self.cell = ctypes.c_void_p.from_address(ctypes.addressof(hooks.forward))
        self.on = self.cell.value
        # Asked from here, not for a launch, the agent answers with the kernel's own address.
        self.off = context.runtime.llvm.wp_lookup(handle, symbol)
        assert self.on != self.off, "not run under kiln's agent"

    def set(self, on: bool) -> None:
        self.cell.value = self.on if on else self.off


class Gpu:
    def __init__(self) -> None:
        self.core = context.runtime.core
        self.on = self.core.wp_cuda_launch_kernel
        self.off = self.on.__self__[0]

    def set(self, on: bool) -> None:
        self.core.wp_cuda_launch_kernel = self.on if on else self.off


def switch_for(device: object) -> object:
    if device.is_cuda:
        return Gpu()
    executable = step.module.load(device)
    hooks = executable.get_kernel_hooks(step)
    names = []
    real = context.runtime.llvm.wp_lookup
    context.runtime.llvm.wp_lookup = lambda handle, symbol: names.append((handle, symbol)) or real(handle, symbol)
    fresh = {}
    executable.kernel_hooks, saved = fresh, executable.kernel_hooks
    try:
        executable.get_kernel_hooks(step)
    finally:
        executable.kernel_hooks, context.runtime.llvm.wp_lookup = saved, real
    handle, symbol = next(pair for pair in names if pair[1].endswith(b"_forward"))
    return Cpu(hooks, symbol, handle)


def interval(values: list) -> tuple:
    """Median and the order statistics that enclose it with 95 %."""
    values, n = sorted(values), len(values)
    reach = int(0.98 * n**0.5) + 1
    return values[n // 2], values[max(0, n // 2 - reach)], values[min(n - 1, n // 2 + reach)]


def main() -> None:
    device = wp.get_device(sys.argv[1] if len(sys.argv) > 1 else "cpu")
    blocks = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    x = wp.zeros(16, dtype=float, device=device)
    wp.launch(step, dim=16, inputs=[x, 0.5], device=device)
    switch, config = switch_for(device), wp.config
    observed = config.__class__
    arms = {"on": (True, observed), "off": (False, observed.__mro__[1]), "same": (False, observed.__mro__[1])}

    def block(arm: str) -> float:
        on, kind = arms[arm]
        switch.set(on)
        config.__class__ = kind
        for _ in range(WARMUP):
            wp.launch(step, dim=16, inputs=[x, 0.5], device=device)
        begin = time.thread_time_ns()
        for _ in range(LAUNCHES):
            wp.launch(step, dim=16, inputs=[x, 0.5], device=device)
        return (time.thread_time_ns() - begin) / LAUNCHES

    times: dict = {arm: [] for arm in arms}
    for _ in range(blocks):
        order = list(arms)
        random.shuffle(order)
        for arm in order:
            times[arm].append(block(arm))
        if device.is_cuda:
            wp.synchronize()
    config.__class__ = observed
    switch.set(True)
    base = sorted(times["off"])[blocks // 2]
    print("warp %s, %s: a launch takes %.0f ns; %d blocks of %d an arm" % (wp.config.version, device, base, blocks, LAUNCHES))
    for name, arm in (("kiln adds", "on"), ("control (equal things)", "same")):
        middle, low, high = interval([a - b for a, b in zip(times[arm], times["off"])])
        print("%-23s %+.0f ns a launch, 95 %% between %+.0f and %+.0f" % (name, middle, low, high))


main()
