"""One kernel for the scenes. Each launch is told to the file named by KILN_TRUTH at once, so that no ending loses it."""

import os

import warp as wp

if hasattr(wp.config, "use_precompiled_headers"):
    wp.config.use_precompiled_headers = False  # one kernel builds faster without


@wp.kernel
def step(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


def told(count: int) -> None:
    with open(os.environ["KILN_TRUTH"], "a") as file:
        file.write("%d\n" % count)


def go(times: int = 1) -> None:
    x = wp.zeros(4, dtype=float, device="cpu")
    for _ in range(times):
        wp.launch(step, dim=4, inputs=[x], device="cpu")
        told(1)
