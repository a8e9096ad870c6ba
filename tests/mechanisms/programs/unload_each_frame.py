"""N-5: the module is unloaded after every frame "to save memory" and loaded again for the next one."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def frame(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for _ in range(6):
    wp.launch(frame, dim=8, inputs=[x], device="cpu")
    frame.module.unload()
print(x.numpy()[0])
