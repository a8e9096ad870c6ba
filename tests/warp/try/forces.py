"""A module of its own, imported before anybody could set an option."""

import warp as wp


@wp.kernel
def force(x: wp.array(dtype=float), f: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(6):
        f[i] = f[i] + wp.sin(x[i] + float(j))
