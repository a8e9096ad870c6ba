"""N-15: two workers build modules of their own, and each makes the same precompiled header first."""

import subprocess
import sys

if len(sys.argv) == 1:
    for worker in ("left", "right"):
        subprocess.run([sys.executable, __file__, worker], check=True)
    sys.exit(0)

import warp as wp


@wp.kernel(module=sys.argv[1], enable_backward=False)
def work(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.static(float(len(sys.argv[1])))


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(work, dim=8, inputs=[x], device="cpu")
