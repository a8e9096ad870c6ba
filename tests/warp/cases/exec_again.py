"""The program builds and launches twice, then replaces itself (same process id) and launches three times.

Truth: 1 build, 2 loads, 5 launches in one process id.
"""

import os
import sys

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
again = len(sys.argv) > 1
for _ in range(3 if again else 2):
    wp.launch(step, dim=8, inputs=[x], device="cpu")
    truth.add()
truth.write()
if not again:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
