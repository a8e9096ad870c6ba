"""Clean: an application uses a library forward only. The library is made to be differentiated, by others, and its
backward code is a small part of what is built: no reason to change it."""

import os
import sys
import tempfile

LIBRARY = """import warp as wp

@wp.kernel
def apply(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.tanh(a[i] * b[i]) + wp.exp(-b[i])

@wp.kernel
def norm(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, a[wp.tid()] * a[wp.tid()])
"""
folder = os.path.join(tempfile.mkdtemp(), "site-packages")
os.mkdir(folder)
with open(os.path.join(folder, "layers.py"), "w") as file:
    file.write(LIBRARY)
sys.path.insert(0, folder)

import layers
import warp as wp

a, b, out = (wp.zeros(8, dtype=float, device="cpu") for _ in range(3))
wp.launch(layers.apply, dim=8, inputs=[a, b, out], device="cpu")
wp.launch(layers.norm, dim=8, inputs=[a, out], device="cpu")
