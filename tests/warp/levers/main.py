"""Kernels of three importable modules, one of the main script and one made by a function.

main.py N waits until N modules are in the cache before it launches: somebody else must build them.
"""

import glob
import os
import sys
import time

import warp as wp
from sim import flow, grid, heat


def make_scale(factor: float) -> wp.Kernel:
    @wp.kernel(module="unique")
    def scale(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = x[i] * wp.static(factor)

    return scale


@wp.kernel
def last(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] - 1.0


if len(sys.argv) > 1:
    begin = time.time()
    while len(glob.glob(os.environ["WARP_CACHE_PATH"] + "/*/*/*.meta")) < int(sys.argv[1]) and time.time() - begin < 100:
        time.sleep(0.02)
scale = make_scale(3.0)
x = wp.zeros(16, dtype=float, device="cpu")
for kernel in (grid.fill, flow.step, flow.settle, heat.warm, scale, last):
    wp.launch(kernel, dim=16, inputs=[x], device="cpu")
print("sum %.6f" % float(x.numpy().sum()))
