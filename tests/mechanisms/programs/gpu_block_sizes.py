"""CS-5: two kernels of one module are launched at two block sizes, and the whole module is built for each."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def wide(x: wp.array(dtype=float)):
    x[wp.tid()] = 2.0 * x[wp.tid()]


@wp.kernel
def narrow(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(4096, dtype=float, device="cuda:0")
wp.launch(wide, dim=4096, inputs=[x], device="cuda:0", block_dim=256)
wp.launch(narrow, dim=4096, inputs=[x], device="cuda:0", block_dim=64)
print(x.numpy()[0])
