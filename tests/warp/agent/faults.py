"""Comes through every hook of the adapter that a program on the CPU can reach."""

import warp as wp

wp.config.use_precompiled_headers = False
wp.config.max_unroll = 8


@wp.kernel
def step(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 2.0


@wp.kernel
def generic(x: wp.array(dtype=wp.Float)):
    i = wp.tid()
    x[i] = x[i] + x[i]


x = wp.ones(4, dtype=float, device="cpu", requires_grad=True)
wp.clear_kernel_cache()
wp.clear_lto_cache()
for _ in range(3):
    wp.launch(step, dim=4, inputs=[x], device="cpu")
wp.set_module_options({"fast_math": True})
with wp.Tape() as tape:
    wp.launch(generic, dim=4, inputs=[x], device="cpu")
tape.backward(grads={x: wp.ones(4, dtype=float, device="cpu")})
step.module.unload()
wp.launch(step, dim=4, inputs=[x], device="cpu")
print(x.numpy())
