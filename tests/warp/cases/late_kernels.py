"""Two kernels are declared after their module was loaded, so the whole module is built again each time.

Truth: 1 module built 3 times under 3 identities; warm nothing is built, 3 loads. The cause is the two declarations.
"""

import truth
import warp as wp


def use(kernel: wp.Kernel) -> None:
    x = wp.zeros(8, dtype=float, device="cpu")
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
    truth.add()


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


use(fill)


@wp.kernel  # LATE
def wave(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sin(x[wp.tid()])


use(wave)


@wp.kernel  # LATE
def grow(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.exp(x[wp.tid()])


use(grow)
truth.write()
