"""N-6 repaired: the file with the kernel that is used is imported, not the whole library."""

import warp as wp


@wp.kernel(module="used", enable_backward=False)
def used(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


wp.compile_aot_module("used", arch=90)
