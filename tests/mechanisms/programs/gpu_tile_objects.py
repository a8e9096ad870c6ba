"""CS-7: a tile product needs a link-time object, which is made while the program waits."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    out = wp.tile_zeros(shape=(16, 16), dtype=float)
    wp.tile_matmul(wp.tile_load(a, shape=(16, 16)), wp.tile_load(b, shape=(16, 16)), out)
    wp.tile_store(c, out)


a, b, c = (wp.zeros((16, 16), dtype=float, device="cuda:0") for _ in range(3))
wp.launch_tiled(product, dim=[1], inputs=[a, b, c], block_dim=64, device="cuda:0")
wp.synchronize()
