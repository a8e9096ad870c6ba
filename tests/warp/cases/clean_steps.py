"""Part of clean_modules.py."""

import warp as wp


@wp.kernel
def advance(x: wp.array(dtype=float), f: wp.array(dtype=float), dt: float):
    x[wp.tid()] = x[wp.tid()] + dt * f[wp.tid()]


@wp.kernel
def clamp(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.clamp(x[wp.tid()], -1.0, 1.0)
