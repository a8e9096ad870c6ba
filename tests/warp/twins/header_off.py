"""CS-12 repaired: the precompiled header is on, as it is by default."""

import warp as wp

wp.config.use_precompiled_headers = True
wp.config.enable_backward = False


@wp.kernel(module="sim.a")
def first(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sin(x[wp.tid()])


@wp.kernel(module="sim.b")
def second(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.cos(x[wp.tid()])


@wp.kernel(module="sim.c")
def third(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.tan(x[wp.tid()])


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (first, second, third):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
print(x.numpy()[0])
