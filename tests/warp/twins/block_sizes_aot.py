"""CS-5 repaired: one block size for both kernels."""

import warp as wp

wp.set_module_options({"enable_backward": False, "block_dim": 128})


@wp.kernel
def wide(x: wp.array(dtype=float)):
    x[wp.tid()] = 2.0 * x[wp.tid()]


@wp.kernel
def narrow(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


wp.compile_aot_module(wide.module, arch=90)
