"""All of Warp's work is done by a thread while the main thread waits for it.

Truth: 1 build, 1 load, 2 launches; the main thread only waits.
"""

import threading

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


def work() -> None:
    x = wp.zeros(8, dtype=float, device="cpu")
    for _ in range(2):
        wp.launch(step, dim=8, inputs=[x], device="cpu")


thread = threading.Thread(target=work)
thread.start()
thread.join()
truth.add(2)
truth.write()
