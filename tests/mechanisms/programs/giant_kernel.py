"""N-7: one kernel is most of the program: a reaction network written out by a generator, without a loop."""

import importlib.util
import os
import tempfile

import warp as wp

lines = ["import warp as wp", "", "@wp.kernel(enable_backward=False)", "def react(x: wp.array(dtype=float)):",
         "    a = x[wp.tid()]", "    b = a", "    c = 0.5 * a"]
lines += [f"    a = wp.sin(a * {n}.5 + b) + wp.exp(-c)" if n % 2 else f"    b = wp.cos(b + c * {n}.25) - a / (1.0 + c * c)" for n in range(900)]
lines += ["    x[wp.tid()] = a + b", ""]
name = os.path.join(tempfile.gettempdir(), f"network_{os.getpid()}.py")
with open(name, "w") as file:
    file.write("\n".join(lines))
spec = importlib.util.spec_from_file_location("network", name)
network = importlib.util.module_from_spec(spec)
spec.loader.exec_module(network)
x = wp.zeros(4, dtype=float, device="cpu")
wp.launch(network.react, dim=4, inputs=[x], device="cpu")
os.unlink(name)
