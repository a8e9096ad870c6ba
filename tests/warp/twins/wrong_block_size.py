"""N-4 repaired: the first launch loads the module, at the block size that it uses."""

import warp as wp

wp.config.enable_cpu_blocks = True
wp.set_module_options({"enable_backward": False})


@wp.kernel
def blend(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()]


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(blend, dim=8, inputs=[x], device="cpu")
