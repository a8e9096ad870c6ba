"""CS-8: two threads load CPU modules at the same moment, on a Warp that does not guard that (1.16 and older)."""

import threading

import warp as wp

wp.config.enable_backward = False
meet = threading.Barrier(2)


@wp.kernel(module="left")
def left(x: wp.array(dtype=wp.mat44)):
    x[wp.tid()] = wp.inverse(x[wp.tid()])


@wp.kernel(module="right")
def right(x: wp.array(dtype=wp.mat44)):
    x[wp.tid()] = wp.transpose(x[wp.tid()])


def load(kernel: wp.Kernel) -> None:
    meet.wait()
    kernel.module.load("cpu", 1)


wp.init()
threads = [threading.Thread(target=load, args=(kernel,)) for kernel in (left, right)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
x = wp.zeros(4, dtype=wp.mat44, device="cpu")
for kernel in (left, right):
    try:
        wp.launch(kernel, dim=4, inputs=[x], device="cpu")
    except RuntimeError as error:  # "Failed to find module": what the mechanism is about
        print(error)
