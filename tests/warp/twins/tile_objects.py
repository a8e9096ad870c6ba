"""CS-7 repaired: the product is small enough to do without MathDx."""

import warp as wp

wp.set_module_options({"enable_backward": False, "enable_mathdx_gemm": False})


@wp.kernel
def small(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    out = wp.tile_zeros(shape=(8, 8), dtype=float)
    wp.tile_matmul(wp.tile_load(a, shape=(8, 8)), wp.tile_load(b, shape=(8, 8)), out)
    wp.tile_store(c, out)


wp.compile_aot_module(small.module, arch=90)
