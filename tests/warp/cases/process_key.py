"""The process id goes into a kernel, so its identity is another one in every run and the cache never helps.

Truth: 1 build in every run, warm ones too, each under a new identity.
"""

import os

import truth
import warp as wp

NUMBER = float(os.getpid())


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.static(NUMBER)


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
