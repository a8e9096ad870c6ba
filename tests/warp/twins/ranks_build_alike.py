"""N-3 repaired: the first rank builds, the other waits for it and loads."""

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
built = os.path.join(meet, "built")
x = wp.zeros(8, dtype=float, device="cpu")
limit = time.monotonic() + 60.0
while rank != "0" and not os.path.exists(built) and time.monotonic() < limit:
    time.sleep(0.001)
wp.launch(step, dim=8, inputs=[x], device="cpu")
open(built, "w").close()
