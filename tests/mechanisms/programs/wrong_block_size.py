"""N-4: a module is loaded ahead at a block size that no launch uses; the launches build it once more."""

import warp as wp

wp.config.enable_cpu_blocks = True
wp.set_module_options({"enable_backward": False})


@wp.kernel
def blend(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()]


wp.force_load(device="cpu", modules=[blend.module], block_dim=64)  # HERE
x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(blend, dim=8, inputs=[x], device="cpu")
