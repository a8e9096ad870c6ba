"""The repaired counterpart of generic_late: both instances are declared before the first launch.

Truth: 1 module, 1 build, 1 identity, 1 load; nothing to find.
"""

from typing import Any

import truth
import warp as wp


@wp.kernel
def scale(x: wp.array(dtype=Any), factor: Any):
    x[wp.tid()] = x[wp.tid()] * factor


kept = [
    wp.overload(scale, [wp.array(dtype=wp.float32), wp.float32]),
    wp.overload(scale, [wp.array(dtype=wp.int32), wp.int32]),
]
x = wp.ones(8, dtype=wp.float32, device="cpu")
wp.launch(scale, dim=8, inputs=[x, wp.float32(2.0)], device="cpu")
truth.add()
y = wp.ones(8, dtype=wp.int32, device="cpu")
wp.launch(scale, dim=8, inputs=[y, wp.int32(3)], device="cpu")
truth.add()
truth.write()
