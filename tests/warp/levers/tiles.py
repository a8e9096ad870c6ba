"""Tile operations built ahead of time for a GPU that is not here: tiles.py KIND…, of gemm, fft, solver, plain.

Each is a module of its own, and each needs link-time objects: gemm and fft one, solver two, plain none.
"""

import sys

import warp as wp

kinds = sys.argv[1:]
wp.set_module_options({"enable_backward": False})
made = []

if "gemm" in kinds:

    @wp.kernel(module="tiles.gemm")
    def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
        out = wp.tile_zeros(shape=(8, 8), dtype=float)
        wp.tile_matmul(wp.tile_load(a, shape=(8, 8)), wp.tile_load(b, shape=(8, 8)), out)
        wp.tile_store(c, out)

    made.append(product)
if "fft" in kinds:

    @wp.kernel(module="tiles.fft")
    def transform(a: wp.array2d(dtype=wp.vec2f)):
        x = wp.tile_load(a, shape=(1, 64))
        wp.tile_fft(x)
        wp.tile_store(a, x)

    made.append(transform)
if "solver" in kinds:

    @wp.kernel(module="tiles.solver")
    def solve(a: wp.array2d(dtype=float), b: wp.array1d(dtype=float)):
        x = wp.tile_cholesky_solve(wp.tile_cholesky(wp.tile_load(a, shape=(8, 8))), wp.tile_load(b, shape=8))
        wp.tile_store(b, x)

    made.append(solve)
if "plain" in kinds:

    @wp.kernel(module="tiles.plain")
    def plain(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    made.append(plain)

for kernel in made:
    kernel.module.options.update(enable_backward=False, block_dim=32)
    if "keeps" in kinds:  # as a program that decides for itself
        kernel.module.options["enable_mathdx_gemm"] = True
    wp.compile_aot_module(kernel.module, arch=90)
print("built %d" % len(made))
