"""PTX is loaded: the driver compiles it inside the load. Needs a driver that knows the PTX of Warp's toolkit."""

import said
import warp as wp

DEVICE = "cuda:0"
wp.set_module_options({"cuda_output": "ptx"})


@wp.kernel
def add(x: wp.array(dtype=wp.int32)):
    wp.atomic_add(x, 0, 1)


runs = wp.zeros(1, dtype=wp.int32, device=DEVICE)
wp.launch(add, dim=1, inputs=[runs], device=DEVICE)
said.write(launches=int(runs.numpy()[0]), builds=1, loads=1, blocks=[256], lto=0, jit=1)
