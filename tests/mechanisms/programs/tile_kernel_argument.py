"""CS-10 on a tile module: backward code is switched off by the kernel's argument, which keeps the link-time objects of
backward passes (and so CS-7); built ahead of time, without a GPU."""

import warp as wp


@wp.kernel(enable_backward=False)
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    out = wp.tile_zeros(shape=(8, 8), dtype=float)
    wp.tile_matmul(wp.tile_load(a, shape=(8, 16)), wp.tile_load(b, shape=(16, 8)), out)
    wp.tile_store(c, out)


wp.compile_aot_module(product.module, arch=90)
