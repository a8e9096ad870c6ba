"""Control: a slow start that no compiler has a part in (the program waits 2 s, then uses one module).

Truth: 1 build cold, 0 warm; the 2 s belong to the program and stay when warm.
"""

import time

import truth
import warp as wp

time.sleep(2.0)


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 5.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
