"""A generic kernel gets a second type after its module was loaded.

Truth: 1 module, 2 builds, 2 identities, 2 loads. The cause is the instance asked for by the second launch.
"""

from typing import Any

import truth
import warp as wp


@wp.kernel
def scale(x: wp.array(dtype=Any), factor: Any):
    x[wp.tid()] = x[wp.tid()] * factor


x = wp.ones(8, dtype=wp.float32, device="cpu")
wp.launch(scale, dim=8, inputs=[x, wp.float32(2.0)], device="cpu")
truth.add()
y = wp.ones(8, dtype=wp.int32, device="cpu")
wp.launch(scale, dim=8, inputs=[y, wp.int32(3)], device="cpu")  # LATE
truth.add()
truth.write()
