"""N-12: a module is built inside the capture of a CUDA graph."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(4096, dtype=float, device="cuda:0")
with wp.ScopedCapture(device="cuda:0", force_module_load=False) as capture:
    wp.launch(step, dim=4096, inputs=[x], device="cuda:0")
for _ in range(10):
    wp.capture_launch(capture.graph)
print(x.numpy()[0])
