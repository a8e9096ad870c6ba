"""N-13: five small `wp.map` calls are five generated modules."""

import warp as wp

wp.config.enable_backward = False


@wp.func
def half(x: float):
    return 0.5 * x


@wp.func
def plus(x: float):
    return x + 1.0


@wp.func
def square(x: float):
    return x * x


@wp.func
def minus(x: float):
    return x - 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for func in (half, plus, square, minus):
    x = wp.map(func, x)
print(x.numpy()[0])
