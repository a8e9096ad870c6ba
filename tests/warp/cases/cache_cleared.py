"""The program clears the kernel cache when it starts.

Truth: 1 build in every run, warm ones too. The cause is the clear call.
"""

import truth
import warp as wp


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 7.0


wp.clear_kernel_cache()  # LATE
x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
