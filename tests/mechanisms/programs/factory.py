"""N-13: a factory makes the same kernel for each material, with other constants, in a module each."""

import warp as wp


def make(stiffness: float) -> wp.Kernel:
    @wp.kernel(module="unique", enable_backward=False)
    def spring(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * wp.static(stiffness)

    return spring


x = wp.zeros(8, dtype=float, device="cpu")
for stiffness in (1.0, 2.0, 3.0, 4.0, 5.0):
    wp.launch(make(stiffness), dim=8, inputs=[x], device="cpu")
