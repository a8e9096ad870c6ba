"""CS-9: kernels that never change are declared `module="unique"`, as a habit."""

import warp as wp

wp.config.enable_backward = False


@wp.kernel(module="unique")
def scale(x: wp.array(dtype=float)):
    x[wp.tid()] = 3.0 * x[wp.tid()]


@wp.kernel(module="unique")
def shift(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


@wp.kernel(module="unique")
def clip(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.clamp(x[wp.tid()], 0.0, 2.0)


@wp.kernel(module="unique")
def negate(x: wp.array(dtype=float)):
    x[wp.tid()] = -x[wp.tid()]


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (scale, shift, clip, negate):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
print(x.numpy()[0])
