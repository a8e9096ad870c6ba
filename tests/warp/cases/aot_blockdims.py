"""One module built ahead of time for three block sizes. Each size has its own identity by design: this is no churn.

Truth: 1 module, 3 builds, 3 identities, no load; nothing may be blamed on options or late kernels.
"""

import truth
import warp as wp


@wp.kernel
def wave(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sin(x[wp.tid()])


for block_dim in (64, 128, 256):
    wp.set_module_options({"block_dim": block_dim})
    wp.compile_aot_module(wave.module, arch=90)
truth.write()
