"""Ahead of time for a GPU that is not here: real NVRTC, and MathDx for the tile product."""

import sys

import warp as wp


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    left = wp.tile_load(a, shape=(16, 16), offset=(i * 16, 0))
    right = wp.tile_load(b, shape=(16, 16), offset=(0, j * 16))
    wp.tile_store(c, wp.tile_matmul(left, right), offset=(i * 16, j * 16))


wp.set_module_options({"enable_backward": False})
for folder in ("a", "b"):
    wp.compile_aot_module(sys.modules["__main__"], arch=90, module_dir=sys.argv[1] + "/" + folder)  # AOT
wp.compile_aot_module(sys.modules["__main__"], arch=90, module_dir=sys.argv[1] + "/a")
