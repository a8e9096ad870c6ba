"""N-12: the first launch of a kernel happens inside a graph capture, and its module is built there."""

import warp as wp


@wp.kernel(enable_backward=False)
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
with wp.ScopedCapture(device="cpu") as capture:
    wp.launch(step, dim=8, inputs=[x], device="cpu")
wp.capture_launch(capture.graph)
