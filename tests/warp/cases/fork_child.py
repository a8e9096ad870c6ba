"""The parent builds, launches 13 times and forks; the child launches 7 times with what it inherited.

Truth: 1 build, 1 load, 20 launches in two processes.
"""

import os

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for _ in range(13):
    wp.launch(step, dim=8, inputs=[x], device="cpu")
    truth.add()
pid = os.fork()
if pid == 0:
    truth.reset()
    for _ in range(7):
        wp.launch(step, dim=8, inputs=[x], device="cpu")
        truth.add()
    truth.write()
    os._exit(0)
os.waitpid(pid, 0)
truth.write()
