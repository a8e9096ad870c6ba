"""Launches on a GPU that is not here: Warp's two entries are replaced by ours before kiln sees them."""

import warp as wp
import warp._src.context as context

real = context.Runtime.load_dll
wp_cuda = {"wp_cuda_get_kernel": lambda *args: 4711 if b"forward" in args[2] else 4712}
wp_cuda["wp_cuda_launch_kernel"] = lambda *args: 0 if args[2] < 100 else 1
wp_cuda["wp_cuda_graph_launch"] = lambda *args: True


def load_dll(self, path):
    library = real(self, path)
    if path.endswith("warp.so"):
        for name, function in wp_cuda.items():
            setattr(library, name, function)
    return library


context.Runtime.load_dll = load_dll
wp.init()


@wp.kernel
def far(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = 1.0


class Executable:
    """As ModuleExec.get_kernel_hooks does it."""

    module_hash = bytes(32)
    device = type("Device", (), {"alias": "cuda:0"})
    block_dim = 128

    def get_kernel_hooks(self, kernel):
        core = context.runtime.core
        forward = core.wp_cuda_get_kernel(1, 2, kernel.key.encode() + b"_forward")
        return forward, core.wp_cuda_get_kernel(1, 2, kernel.key.encode() + b"_backward")


forward, backward = Executable().get_kernel_hooks(far)
for _ in range(9):
    context.runtime.core.wp_cuda_launch_kernel(1, forward, 64, 0, 128)
context.runtime.core.wp_cuda_launch_kernel(1, backward, 32, 0, 128)
print(context.runtime.core.wp_cuda_launch_kernel(1, forward, 640, 0, 128))  # refused
for _ in range(3):
    print(context.runtime.core.wp_cuda_graph_launch(1, 2))
