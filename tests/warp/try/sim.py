"""Forward only. "late" sets enable_backward where that is too late, the modules are imported already; "early" in time."""

import sys
import time

import warp as wp

if "early" in sys.argv:
    wp.config.enable_backward = False
import forces  # noqa: E402
import moves  # noqa: E402

if "late" in sys.argv:
    wp.config.enable_backward = False
x = wp.array([float(i) for i in range(8)], dtype=float, device="cpu")
f = wp.zeros(8, dtype=float, device="cpu")
out = wp.zeros(1, dtype=float, device="cpu")
for _ in range(3):
    wp.launch(forces.force, dim=8, inputs=[x, f], device="cpu")
    wp.launch(moves.move, dim=8, inputs=[x, f, 0.01], device="cpu")
wp.launch(moves.total, dim=8, inputs=[x, out], device="cpu")
print("energy %.5f" % out.numpy()[0])
print("at %d ns" % time.monotonic_ns())
