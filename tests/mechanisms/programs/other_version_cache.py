"""N-10: the cache that was restored was made by another version of Warp. (The other version is a folder of its name,
where a first process of this version built the module.)"""

import os
import subprocess
import sys

import warp as wp


@wp.kernel(module="restored", enable_backward=False)
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


if len(sys.argv) == 1:
    wp.init()
    folder = wp.config.kernel_cache_dir
    old = os.path.join(os.path.dirname(folder), "1.18.0")
    if not os.path.exists(old):
        # What happened before this run is not part of it: that process is not observed.
        earlier = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "KILN_EVENTS")}
        subprocess.run([sys.executable, __file__, "first"], check=True, env=earlier)
        os.rename(folder, old)
        os.mkdir(folder)
x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(step, dim=8, inputs=[x], device="cpu")
