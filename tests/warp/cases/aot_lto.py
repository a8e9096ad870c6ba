"""A tile product built ahead of time for sm_90: Warp has MathDx make a link-time object for it. Needs no GPU; slow.

Truth: 1 build and 1 link-time object cold; warm neither.
"""

import truth
import warp as wp

wp.set_module_options({"enable_backward": False})
TILE = wp.constant(16)


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    left = wp.tile_load(a, shape=(TILE, TILE), offset=(i * TILE, 0))
    right = wp.tile_load(b, shape=(TILE, TILE), offset=(0, j * TILE))
    out = wp.tile_zeros(shape=(TILE, TILE), dtype=float)
    wp.tile_matmul(left, right, out)
    wp.tile_store(c, out, offset=(i * TILE, j * TILE))


wp.compile_aot_module(product.module, arch=90)
truth.write()
