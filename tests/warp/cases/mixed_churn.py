"""Two faults in one module: an option changed after the first load, and a kernel declared after that.

Truth: 1 module, 3 builds, 3 identities, 3 loads; both causes are there, each at its line.
"""

import truth
import warp as wp


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
wp.set_module_options({"enable_backward": False})  # LATE
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()


@wp.kernel  # LATE
def wave(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sin(x[wp.tid()])


wp.launch(wave, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
