"""N-3: two ranks start cold at one moment and build the same module, each for itself."""

import os
import subprocess
import sys
import tempfile
import time

if len(sys.argv) == 1:
    with tempfile.TemporaryDirectory() as meet:
        ranks = [subprocess.Popen([sys.executable, __file__, meet, str(rank)]) for rank in range(2)]
        sys.exit(max(rank.wait() for rank in ranks))

import warp as wp


@wp.kernel(module="shared", enable_backward=False)
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


meet, rank = sys.argv[1:]
x = wp.zeros(8, dtype=float, device="cpu")
open(os.path.join(meet, rank), "w").close()
limit = time.monotonic() + 60.0
while len(os.listdir(meet)) < 2 and time.monotonic() < limit:
    time.sleep(0.001)
wp.launch(step, dim=8, inputs=[x], device="cpu")
