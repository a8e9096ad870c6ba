"""A factory makes an equal kernel again for every call. The identity does not move, so nothing is built twice.

Truth: 1 module, 1 build, 1 identity; nothing to find (a late declaration alone is no fault).
"""

import truth
import warp as wp


def make() -> wp.Kernel:
    @wp.kernel
    def step(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] + 1.0

    return step


x = wp.zeros(8, dtype=float, device="cpu")
for _ in range(3):
    wp.launch(make(), dim=8, inputs=[x], device="cpu")
    truth.add()
truth.write()
