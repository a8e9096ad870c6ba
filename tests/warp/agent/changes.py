"""Everything that makes a loaded module stale, and where it was done."""

import warp as wp

wp.config.max_unroll = 8  # CONFIG


@wp.kernel
def one(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


@wp.kernel
def generic(x: wp.array(dtype=wp.Float)):
    i = wp.tid()
    x[i] = x[i] + x[i]


def alone(n):
    @wp.kernel(module="unique")
    def unique(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = float(wp.static(n))

    return unique


def alone_generic(n):
    @wp.kernel(module="unique")
    def unique_generic(x: wp.array(dtype=wp.Float)):
        i = wp.tid()
        x[i] = x[i] * x.dtype(wp.static(n))

    return unique_generic


x = wp.ones(16, dtype=float, device="cpu", requires_grad=True)
y = wp.ones(16, dtype=wp.float64, device="cpu")
wp.launch(one, dim=16, inputs=[x], device="cpu")
wp.launch(generic, dim=16, inputs=[x], device="cpu")  # FLOAT
wp.launch(generic, dim=16, inputs=[x], device="cpu")
wp.launch(generic, dim=16, inputs=[y], device="cpu")  # DOUBLE
wp.launch(alone(1), dim=16, inputs=[x], device="cpu")
wp.launch(alone(2), dim=16, inputs=[x], device="cpu")
wp.launch(alone_generic(3.0), dim=16, inputs=[x], device="cpu")


@wp.kernel  # LATE
def late(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] - 1.0


wp.launch(late, dim=16, inputs=[x], device="cpu")
wp.set_module_options({"fast_math": True, "enable_backward": True})  # OPTION
command = wp.launch(one, dim=16, inputs=[x], device="cpu", record_cmd=True)
for _ in range(6):
    command.launch()
with wp.Tape() as tape:
    wp.launch(one, dim=16, inputs=[x], device="cpu")
tape.backward(grads={x: wp.ones(16, dtype=float, device="cpu")})  # TAPE
wp.clear_kernel_cache()  # CLEAR
wp.config.cache_kernels = False  # OFF
print("done")
