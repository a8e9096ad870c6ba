"""One module of one kernel, named by the argument: module.py NAME."""

import sys

import warp as wp

wp.config.quiet = True
wp.config.use_precompiled_headers = False


def make(name):
    @wp.kernel(module=wp.get_module(name))
    def work(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = wp.sin(x[i]) + wp.float(i)

    return work


with wp.ScopedDevice("cpu"):
    x = wp.zeros(8, dtype=float)
    wp.launch(make(sys.argv[1]), dim=8, inputs=[x])
