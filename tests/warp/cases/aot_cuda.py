"""Ahead-of-time build for sm_90 by NVRTC; needs neither a GPU nor a driver. Warp prints no module line for it.

Truth: 1 build, no load, no launch; warm 0 builds (the binary is kept).
"""

import truth
import warp as wp


@wp.kernel
def saxpy(x: wp.array(dtype=float), y: wp.array(dtype=float), a: float):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


wp.compile_aot_module(saxpy.module, arch=90)
truth.write()
