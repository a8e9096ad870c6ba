"""A launch is recorded (which runs nothing) and the recording replayed 1000 times.

Truth: 1 build, 1 load, 1000 launches.
"""

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
command = wp.launch(step, dim=8, inputs=[x], device="cpu", record_cmd=True)
for _ in range(1000):
    command.launch()
    truth.add()
truth.write()
