"""Advice that must not be given: on a Warp that does not guard loads for the CPU (1.16 and older), independent modules
are built one after another for the CPU and for a GPU. To load them by threads would be wrong."""

import warp as wp

wp.config.enable_backward = False


@wp.kernel(module="app.cloth")
def stretch(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sin(x[wp.tid()])


@wp.kernel(module="app.cloth")
def bend(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.cos(x[wp.tid()])


@wp.kernel(module="app.fluid")
def advect(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.exp(x[wp.tid()])


@wp.kernel(module="app.fluid")
def project(x: wp.array(dtype=float)):
    x[wp.tid()] = 0.5 * x[wp.tid()]


@wp.kernel(module="app.rigid")
def push(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


@wp.kernel(module="app.rigid")
def turn(x: wp.array(dtype=float)):
    x[wp.tid()] = -x[wp.tid()]


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (stretch, bend, advect, project, push, turn):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
for kernel in (stretch, advect, push):
    wp.compile_aot_module(kernel.module, arch=90)
