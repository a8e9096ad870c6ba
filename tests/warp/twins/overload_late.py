"""CS-6 repaired: both types in routine use are registered before the first launch."""

from typing import Any

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def double(x: wp.array(dtype=Any)):
    x[wp.tid()] = x[wp.tid()] + x[wp.tid()]


overloads = [wp.overload(double, [wp.array(dtype=dtype)]) for dtype in (wp.float32, wp.int64)]
a = wp.full(8, 1.0, dtype=wp.float32, device="cpu")
wp.launch(double, dim=8, inputs=[a], device="cpu")
b = wp.full(8, 2, dtype=wp.int64, device="cpu")
wp.launch(double, dim=8, inputs=[b], device="cpu")
print(a.numpy()[0], b.numpy()[0])
