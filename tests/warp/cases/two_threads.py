"""Two threads launch the same kernel first at one moment; both build its module.

Truth: 1 identity built twice in one process, by two threads; warm 0 builds.
"""

import threading

import truth
import warp as wp


@wp.kernel
def invert(x: wp.array(dtype=wp.mat33)):
    x[wp.tid()] = wp.inverse(x[wp.tid()] + wp.identity(n=3, dtype=float))


wp.init()
gate = threading.Barrier(2)


def work() -> None:
    x = wp.zeros(8, dtype=wp.mat33, device="cpu")
    gate.wait()
    wp.launch(invert, dim=8, inputs=[x], device="cpu")


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
    truth.add()
truth.write()
