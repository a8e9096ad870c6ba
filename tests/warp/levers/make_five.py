"""Write a program of five modules with kernels that take seconds to compile: make_five.py FOLDER DEVICE [SCALE [KERNELS]].

KERNELS: of each module at scale 1; without it one module is larger than the others.
"""

import os
import sys

KERNEL = """

@wp.kernel
def k%d(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    m = y[i]
    v = x[i]
    for j in range(8):
        v = m * v + wp.cross(v, wp.vec3(float(j), %d.0, 1.0))
        m = wp.transpose(m) * m + wp.outer(v, v)
    y[i] = wp.inverse(m) * 1.0e-3
    x[i] = wp.normalize(v)
"""
MAIN = """
import time

begin = time.time()
import warp as wp
from five import a, b, c, d, e

x = wp.ones(8, dtype=wp.vec3, device="%s")
y = wp.ones(8, dtype=wp.mat33, device="%s")
for module in (a, b, c, d, e):
    wp.launch(module.k0, dim=8, inputs=[x, y], device="%s")
print("sum %%.6e" %% float(x.numpy().sum()))
"""
SIZES = (("a", 2), ("b", 2), ("c", 2), ("d", 7), ("e", 2))


def main() -> None:
    folder, device = sys.argv[1], sys.argv[2]
    scale = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    package = os.path.join(folder, "five")
    os.makedirs(package, exist_ok=True)
    open(os.path.join(package, "__init__.py"), "w").close()
    for number, (name, kernels) in enumerate(SIZES):
        kernels = int(sys.argv[4]) if len(sys.argv) > 4 else kernels
        with open(os.path.join(package, name + ".py"), "w") as file:
            file.write("import warp as wp\n")
            for i in range(kernels * scale):
                file.write(KERNEL % (i, i + 10 * number))
    with open(os.path.join(folder, "main.py"), "w") as file:
        file.write(MAIN % (device, device, device))


main()
