"""A module option is changed between launches of one kernel and then changed back.

Truth: 1 module, 2 builds, 2 identities, 3 loads (the third finds the first build again). The cause is the option.
"""

import truth
import warp as wp


@wp.kernel
def root(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sqrt(x[wp.tid()] + 1.0)


x = wp.zeros(8, dtype=float, device="cpu")
for fast in (False, True, False):
    wp.set_module_options({"fast_math": fast})  # LATE
    wp.launch(root, dim=8, inputs=[x], device="cpu")
    truth.add()
truth.write()
