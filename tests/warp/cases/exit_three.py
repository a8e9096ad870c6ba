"""The program launches and then ends with exit code 3, by an exception that nobody catches.

Truth: 1 build, 1 load, 2 launches, exit code 3.
"""

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for _ in range(2):
    wp.launch(step, dim=8, inputs=[x], device="cpu")
    truth.add()
truth.write()
raise SystemExit(3)
