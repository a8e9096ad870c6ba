"""The program sets a cache folder of its own, a fresh temporary one, so WARP_CACHE_PATH is not obeyed.

Truth: 1 build in every run, warm ones too. The cause is the assignment to kernel_cache_dir.
"""

import tempfile

import truth
import warp as wp

folder = tempfile.TemporaryDirectory()
wp.config.kernel_cache_dir = folder.name  # LATE


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 3.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
