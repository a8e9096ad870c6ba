"""Clean: the same module on the CPU, where the block size is 1, and on a GPU at 256. Two devices, two builds."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


for device in ("cpu", "cuda:0"):
    x = wp.zeros(4096, dtype=float, device=device)
    wp.launch(step, dim=4096, inputs=[x], device=device)
    print(x.numpy()[0])
