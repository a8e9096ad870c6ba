"""A program in good order: three modules, every kernel at module scope, nothing changed after the first launch.

Truth: 3 modules, 3 builds, 3 identities, 3 loads, 41 launches; nothing to find.
"""

import clean_forces
import clean_steps
import truth
import warp as wp


@wp.kernel
def start(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.1 * float(wp.tid())


x = wp.zeros(64, dtype=float, device="cpu")
f = wp.zeros(64, dtype=float, device="cpu")
wp.launch(start, dim=64, inputs=[x], device="cpu")
truth.add()
for _ in range(20):
    wp.launch(clean_forces.force, dim=64, inputs=[x, f], device="cpu")
    wp.launch(clean_steps.advance, dim=64, inputs=[x, f, 0.01], device="cpu")
    truth.add(2)
truth.write()
