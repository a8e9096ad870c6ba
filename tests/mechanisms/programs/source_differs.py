"""N-2: a generated kernel file has a head of another length in each run. The hash ignores it, the generated source,
which names lines, does not. The cold runs of two samples differ, so this one needs two."""

import importlib.util
import os
import tempfile

import warp as wp

BODY = """import warp as wp

@wp.kernel(enable_backward=False)
def ramp(x: wp.array(dtype=float)):
    x[wp.tid()] = float(wp.tid())
"""
name = os.path.join(tempfile.mkdtemp(), "generated.py")
with open(name, "w") as file:
    file.write("# generated\n" * (1 + os.getpid() % 100003) + BODY)
spec = importlib.util.spec_from_file_location("generated", name)
generated = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generated)
x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(generated.ramp, dim=8, inputs=[x], device="cpu")
print(x.numpy()[7])
