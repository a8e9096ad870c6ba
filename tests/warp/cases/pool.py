"""A pool of two forked workers runs eight launches of a kernel that the parent has built and loaded.

Truth: 1 build, 1 load (the workers inherit it), 1 + 8 launches.
"""

import multiprocessing
import os

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


def work(count: int) -> int:
    truth.reset()
    x = wp.zeros(8, dtype=float, device="cpu")
    for _ in range(count):
        wp.launch(step, dim=8, inputs=[x], device="cpu")
        truth.add()
    truth.write()
    return os.getpid()


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(step, dim=8, inputs=[x], device="cpu")
truth.add()
with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.map(work, [3, 5], chunksize=1)
truth.write()
