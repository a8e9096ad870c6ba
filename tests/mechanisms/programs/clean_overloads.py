"""Clean: five types of a generic kernel, of which this run uses two, were registered before the first launch."""

from typing import Any

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def twice(x: wp.array(dtype=Any)):
    x[wp.tid()] = x[wp.tid()] + x[wp.tid()]


TYPES = (wp.float32, wp.float64, wp.int32, wp.int64, wp.vec3)
overloads = [wp.overload(twice, [wp.array(dtype=dtype)]) for dtype in TYPES]
for dtype in (wp.float32, wp.int32):
    wp.launch(twice, dim=8, inputs=[wp.zeros(8, dtype=dtype, device="cpu")], device="cpu")
