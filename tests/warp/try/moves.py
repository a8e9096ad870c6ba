"""The second module."""

import warp as wp


@wp.kernel
def move(x: wp.array(dtype=float), f: wp.array(dtype=float), dt: float):
    i = wp.tid()
    x[i] = x[i] + dt * f[i]


@wp.kernel
def total(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, x[wp.tid()] * x[wp.tid()])
