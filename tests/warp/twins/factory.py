"""N-13 repaired: what differs between the materials is an argument of one kernel."""

import warp as wp


def make() -> wp.Kernel:
    @wp.kernel(module="springs", enable_backward=False)
    def spring(x: wp.array(dtype=float), stiffness: float):
        x[wp.tid()] = x[wp.tid()] * stiffness

    return spring


x = wp.zeros(8, dtype=float, device="cpu")
spring = make()
for stiffness in (1.0, 2.0, 3.0, 4.0, 5.0):
    wp.launch(spring, dim=8, inputs=[x, stiffness], device="cpu")
