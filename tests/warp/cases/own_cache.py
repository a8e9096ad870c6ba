"""The program keeps its kernels in the folder it is given, wherever that is. Not in the table: see escape.test.sh."""

import sys

import truth
import warp as wp

if len(sys.argv) > 1:
    wp.config.kernel_cache_dir = sys.argv[1]


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 11.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(fill, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
