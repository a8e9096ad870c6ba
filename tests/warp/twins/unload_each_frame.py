"""N-5 repaired: the module stays loaded."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def frame(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for _ in range(6):
    wp.launch(frame, dim=8, inputs=[x], device="cpu")
print(x.numpy()[0])
