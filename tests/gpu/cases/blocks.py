"""One module at three block sizes, and an option set late: four builds, four loads."""

import said
import warp as wp

DEVICE = "cuda:0"


@wp.kernel
def add(x: wp.array(dtype=wp.int32)):
    wp.atomic_add(x, 0, 1)


runs = wp.zeros(1, dtype=wp.int32, device=DEVICE)
for block in (64, 128, 256):
    for _ in range(5):
        wp.launch(add, dim=1, inputs=[runs], device=DEVICE, block_dim=block)
wp.set_module_options({"max_unroll": 8})
wp.launch(add, dim=1, inputs=[runs], device=DEVICE, block_dim=256)
said.write(launches=int(runs.numpy()[0]), builds=4, loads=4, blocks=[64, 128, 256], lto=0, jit=0)
