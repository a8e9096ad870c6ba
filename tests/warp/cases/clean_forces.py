"""Part of clean_modules.py."""

import warp as wp


@wp.func
def pull(position: float) -> float:
    return -9.81 * position


@wp.kernel
def force(x: wp.array(dtype=float), f: wp.array(dtype=float)):
    f[wp.tid()] = pull(x[wp.tid()])
