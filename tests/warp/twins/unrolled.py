"""CS-11 repaired: the loops stay loops."""

import warp as wp

wp.set_module_options({"enable_backward": False, "max_unroll": 4})


@wp.kernel
def mix(x: wp.array(dtype=float)):
    a = x[wp.tid()]
    b = float(1.0)
    for i in range(16):
        for j in range(16):
            a = wp.sin(a * float(i) + b) * float(j) + 0.5
            b = wp.cos(b + a) / (1.0 + a * a) - b * float(i + j)
    x[wp.tid()] = a + b


x = wp.zeros(4, dtype=float, device="cpu")
wp.launch(mix, dim=4, inputs=[x], device="cpu")
