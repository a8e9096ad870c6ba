"""The program closes every descriptor above 2, as daemons do, and opens a file of its own, which gets a low number.

Truth: 1 build, 1 load, 1 launch, and the program's file holds what the program wrote and nothing else.
"""

import os
import tempfile

import truth
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


os.closerange(3, 1024)
with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, "own")
    own = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND) for _ in range(40)]
    os.write(own[0], b"mine\n")
    x = wp.zeros(8, dtype=float, device="cpu")
    wp.launch(step, dim=8, inputs=[x], device="cpu")
    truth.add()
    with open(name, "rb") as file:
        content = file.read()
truth.write()
if content != b"mine\n":
    raise SystemExit(f"somebody else wrote into the program's file: {content[:200]!r}")
