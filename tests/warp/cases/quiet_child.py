"""All work is done by a spawned child that logs nothing and leaves by os._exit.

Truth: 1 build and 1 launch, in the child; warm 0 builds.
"""

import multiprocessing
import os


def child() -> None:
    import truth
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING

    @wp.kernel(module="unique")
    def root(x: wp.array(dtype=float)):
        x[wp.tid()] = wp.sqrt(x[wp.tid()] + 2.0)

    x = wp.zeros(8, dtype=float, device="cpu")
    wp.launch(root, dim=8, inputs=[x], device="cpu")
    truth.add()
    truth.write()
    os._exit(0)


if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=child)
    process.start()
    process.join()
