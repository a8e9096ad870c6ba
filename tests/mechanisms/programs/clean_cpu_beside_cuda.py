"""Clean: one module runs on the CPU (block size 1) and is shipped for a GPU (block size 256). Two devices, two builds."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(step, dim=8, inputs=[x], device="cpu")
wp.compile_aot_module(step.module, arch=90)
