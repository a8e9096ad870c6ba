"""N-14: a build fails, a handler swallows it, and the program ends well with less than it promised."""

import warp as wp


@wp.func_native("return missing_function(x);")
def broken(x: float) -> float: ...


@wp.kernel(module="optional", enable_backward=False)
def sharpen(x: wp.array(dtype=float)):
    x[wp.tid()] = broken(x[wp.tid()])


@wp.kernel(module="needed", enable_backward=False)
def blur(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()]


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (blur, sharpen):
    try:
        wp.launch(kernel, dim=8, inputs=[x], device="cpu")
    except Exception:
        print(f"{kernel.key} is not available")
