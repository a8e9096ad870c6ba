"""N-1 repaired: what differs from run to run is an argument of the kernel, not a constant in it."""

import os
import zlib

import warp as wp


@wp.kernel(enable_backward=False)
def noise(x: wp.array(dtype=float), seed: int):
    x[wp.tid()] = wp.randf(wp.rand_init(seed, wp.tid()))


# Not named as the argument: Warp takes a global of that name for a constant of the kernel.
of_this_run = zlib.crc32(f"/tmp/run-{os.getpid()}".encode()) % 1000003
x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(noise, dim=8, inputs=[x, of_this_run], device="cpu")
