"""N-7 repaired: the reaction network is a loop, its length an argument; so it is not unrolled."""

import warp as wp


@wp.kernel(enable_backward=False)
def react(x: wp.array(dtype=float), count: int):
    a = x[wp.tid()]
    b = a
    c = 0.5 * a
    for n in range(count):
        if n % 2 == 1:
            a = wp.sin(a * (float(n) + 0.5) + b) + wp.exp(-c)
        else:
            b = wp.cos(b + c * (float(n) + 0.25)) - a / (1.0 + c * c)
    x[wp.tid()] = a + b


x = wp.zeros(4, dtype=float, device="cpu")
wp.launch(react, dim=4, inputs=[x, 900], device="cpu")
