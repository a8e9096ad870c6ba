"""Three ranks start cold at one moment; each builds the same module for itself.

Truth: 1 identity, 3 builds in 3 processes (each makes its own header), 3 loads, 1 folder left; warm 0 builds.
The ranks wait for each other before the first launch, so that the race does not depend on the load of the machine.
"""

import os
import subprocess
import sys
import tempfile
import time

RANKS = 3

if len(sys.argv) == 1:
    with tempfile.TemporaryDirectory() as meet:
        ranks = [subprocess.Popen([sys.executable, __file__, meet, str(r)]) for r in range(RANKS)]
        status = [rank.wait() for rank in ranks]
    sys.exit(max(status))

import truth
import warp as wp


@wp.kernel(module="unique")
def invert(x: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    x[i] = wp.inverse(x[i] + wp.identity(n=3, dtype=float)) @ wp.transpose(x[i])


x = wp.zeros(8, dtype=wp.mat33, device="cpu")
meet, rank = sys.argv[1:]
open(os.path.join(meet, rank), "w").close()
deadline = time.monotonic() + 60.0
while len(os.listdir(meet)) < RANKS and time.monotonic() < deadline:
    time.sleep(0.001)
wp.launch(invert, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
