"""200 000 launches; prints the largest resident size of this process in KiB."""

import resource

import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


x = wp.zeros(16, dtype=float, device="cpu")
for i in range(200_000):
    wp.launch(step, dim=16, inputs=[x], device="cpu")
print("largest", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
