"""Write a program of eight modules whose kernels take a while to compile: make_eight.py FOLDER DEVICE [KERNELS [STEPS]].

KERNELS: of each module; STEPS: of each kernel, all of them unrolled by the compiler.
"""

import os
import sys

KERNEL = """

@wp.kernel
def k%d(x: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.mat44)):
    i = wp.tid()
    m = y[i]
    v = x[i]
    for j in range(%d):
        v = wp.normalize(m * v + wp.vec4(float(j), %d.0, 1.0, 0.5))
        m = wp.transpose(m) * m * 1.0e-2 + wp.outer(v, v)
    y[i] = m
    x[i] = v
"""
MAIN = """
import warp as wp
from eight import a, b, c, d, e, f, g, h

x = wp.ones(8, dtype=wp.vec4, device="%s")
y = wp.ones(8, dtype=wp.mat44, device="%s")
for module in (a, b, c, d, e, f, g, h):
    wp.launch(module.k0, dim=8, inputs=[x, y], device="%s")
print("sum %%.5e" %% float(x.numpy().sum()))
"""


def main() -> None:
    folder, device = sys.argv[1], sys.argv[2]
    kernels = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 6
    package = os.path.join(folder, "eight")
    os.makedirs(package, exist_ok=True)
    open(os.path.join(package, "__init__.py"), "w").close()
    for number, name in enumerate("abcdefgh"):
        # One is twice as large: it is the ceiling.
        count = kernels * (2 if name == "d" else 1)
        with open(os.path.join(package, name + ".py"), "w") as file:
            file.write("import warp as wp\n")
            for i in range(count):
                file.write(KERNEL % (i, steps, i + 10 * number))
    with open(os.path.join(folder, "main.py"), "w") as file:
        file.write(MAIN % (device, device, device))


main()
