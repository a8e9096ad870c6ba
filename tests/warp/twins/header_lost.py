"""N-8 repaired: nobody empties the scratch folder while the program runs."""

import warp as wp

wp.config.enable_backward = False


@wp.kernel(module="one")
def one(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


@wp.kernel(module="two")
def two(x: wp.array(dtype=float)):
    x[wp.tid()] = 2.0


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (one, two):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
