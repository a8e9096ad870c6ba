"""CS-5: one module is built ahead of time at three block sizes, because each of its kernels likes another one."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def wide(x: wp.array(dtype=float)):
    x[wp.tid()] = 2.0 * x[wp.tid()]


@wp.kernel
def narrow(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


for block_dim in (64, 128, 256):
    wp.set_module_options({"block_dim": block_dim})
    wp.compile_aot_module(wide.module, arch=90)
