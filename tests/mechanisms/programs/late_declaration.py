"""CS-1: two diagnostics are declared only when they are wanted, in the module that the solver has loaded already."""

import warp as wp

wp.set_module_options({"enable_backward": False})
state = wp.zeros(64, dtype=float, device="cpu")


@wp.kernel
def relax(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()] + 1.0


wp.launch(relax, dim=64, inputs=[state], device="cpu")


@wp.kernel
def energy(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, x[wp.tid()] * x[wp.tid()])


total = wp.zeros(1, dtype=float, device="cpu")
wp.launch(energy, dim=64, inputs=[state, total], device="cpu")
print(total.numpy()[0])
