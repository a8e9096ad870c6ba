"""A kernel is declared again under its name with another body, after its module was loaded.

Truth: 1 module, 2 builds, 2 identities, 2 loads. The cause is the second declaration.
"""

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(step, dim=8, inputs=[x], device="cpu")
truth.add()
del step


@wp.kernel  # LATE
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] * 2.0 + 1.0


wp.launch(step, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
