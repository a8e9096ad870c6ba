"""The program switches reuse of the kernel cache off.

Truth: 1 build in every run, warm ones too. The cause is the assignment to cache_kernels.
"""

import truth
import warp as wp

wp.config.cache_kernels = False  # LATE


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 9.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
