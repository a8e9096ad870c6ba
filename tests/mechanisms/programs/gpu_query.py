"""N-4: a query for a block size builds the module at the default one; the launch uses another, and builds it again."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def blend(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()]


x = wp.zeros(4096, dtype=float, device="cuda:0")
print(wp.get_suggested_block_size(blend, device="cuda:0"))
wp.launch(blend, dim=4096, inputs=[x], device="cuda:0", block_dim=128)
