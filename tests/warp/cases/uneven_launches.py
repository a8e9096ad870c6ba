"""Launches that are easily miscounted: dim 0 (nothing runs), one refused for its argument, two sizes, a backward pass.

Truth: 1 build, 1 load, 4 launches: 2 forward of 8 threads, 1 forward of 3 threads, 1 backward of 8.
"""

import truth
import warp as wp


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[wp.tid()] = x[wp.tid()] * x[wp.tid()]


x = wp.ones(8, dtype=float, device="cpu", requires_grad=True)
y = wp.zeros(8, dtype=float, device="cpu", requires_grad=True)
wp.launch(square, dim=8, inputs=[x, y], device="cpu")
truth.add()
wp.launch(square, dim=0, inputs=[x, y], device="cpu")
try:
    wp.launch(square, dim=8, inputs=[x, "not an array"], device="cpu")
    raise SystemExit("the wrong argument was not refused")
except (TypeError, RuntimeError):
    pass
wp.launch(square, dim=3, inputs=[x, y], device="cpu")
truth.add()
tape = wp.Tape()
with tape:
    wp.launch(square, dim=8, inputs=[x, y], device="cpu")
    truth.add()
tape.backward(grads={y: wp.ones(8, dtype=float, device="cpu")})
truth.add()
truth.write()
