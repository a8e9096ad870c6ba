"""A tile product with its backward pass: link-time objects of MathDx, one module."""

import numpy
import said
import warp as wp

DEVICE, TILE = "cuda:0", 16


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    left = wp.tile_load(a, shape=(TILE, TILE), offset=(i * TILE, 0))
    right = wp.tile_load(b, shape=(TILE, TILE), offset=(0, j * TILE))
    out = wp.tile_zeros(shape=(TILE, TILE), dtype=float)
    wp.tile_matmul(left, right, out)
    wp.tile_store(c, out, offset=(i * TILE, j * TILE))


a = wp.array(numpy.eye(TILE, dtype=numpy.float32), device=DEVICE, requires_grad=True)
b = wp.array(numpy.full((TILE, TILE), 2.0, dtype=numpy.float32), device=DEVICE, requires_grad=True)
c = wp.zeros((TILE, TILE), dtype=float, device=DEVICE, requires_grad=True)
with wp.Tape() as tape:
    wp.launch_tiled(product, dim=[1, 1], inputs=[a, b, c], block_dim=64, device=DEVICE)
tape.backward(grads={c: wp.ones_like(c)})
assert numpy.allclose(c.numpy(), 2.0)
said.write(launches=2, builds=1, loads=1, blocks=[64], jit=0)  # how many objects: the cache folder says
