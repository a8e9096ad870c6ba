"""N-6: the host side costs more than the compiler: a library declares thousands of kernels, and one is used."""

import importlib.util
import os
import sys
import tempfile

import warp as wp

HEAD = "import warp as wp\n\nwp.set_module_options({'enable_backward': False})\n"
KERNEL = """

@wp.kernel
def kernel_{0}(x: wp.array(dtype=float), y: wp.array(dtype=float), n: int):
    i = wp.tid()
    if i < n:
        y[i] = x[i] * float({0})
"""
folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
for part in range(10):
    with open(os.path.join(folder, f"part_{part}.py"), "w") as file:
        file.write(HEAD + "".join(KERNEL.format(part * 1000 + number) for number in range(250)))
    importlib.import_module(f"part_{part}")


@wp.kernel(module="used", enable_backward=False)
def used(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


wp.compile_aot_module("used", arch=90)
