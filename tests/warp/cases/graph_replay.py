"""Launches are captured into a CPU graph, which is replayed 10 times. The kernel counts its own runs.

Truth: 1 build, 1 load; as many launches as the kernel says it ran.
"""

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=wp.int32)):
    wp.atomic_add(x, 0, 1)


x = wp.zeros(1, dtype=wp.int32, device="cpu")
wp.load_module(device="cpu")
with wp.ScopedCapture(device="cpu") as capture:
    wp.launch(step, dim=1, inputs=[x], device="cpu")
    wp.launch(step, dim=1, inputs=[x], device="cpu")
for _ in range(10):
    wp.capture_launch(capture.graph)
truth.add(int(x.numpy()[0]))
truth.write()
