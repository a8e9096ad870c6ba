"""CS-1 repaired: both kernels are declared before the first launch."""

import warp as wp

wp.set_module_options({"enable_backward": False})
state = wp.zeros(64, dtype=float, device="cpu")


@wp.kernel
def relax(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()] + 1.0


@wp.kernel
def energy(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, x[wp.tid()] * x[wp.tid()])


wp.launch(relax, dim=64, inputs=[state], device="cpu")
total = wp.zeros(1, dtype=float, device="cpu")
wp.launch(energy, dim=64, inputs=[state, total], device="cpu")
print(total.numpy()[0])
