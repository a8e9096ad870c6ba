"""Launches on a GPU that is not here: Warp's two entries are replaced by ours before kiln sees them."""

import ctypes
import sys

import warp as wp

context = sys.modules.get("warp._src.context") or sys.modules["warp.context"]  # until 1.9
real = context.Runtime.load_dll
wp_cuda = {"wp_cuda_get_kernel": lambda *args: 4711 if b"forward" in args[2] else 4712}


class Launch:
    """Warp sets `argtypes`, which differ by version."""

    argtypes = ()

    def __call__(self, *args):
        return 0 if args[2] < 100 else 1


# Streams that are being captured: stream -> id of the capture.
capturing = {}


def begin(core, stream, *rest):
    capturing[stream] = stream * 10
    return True


def end(core, stream, graph):
    graph._obj.value = 7000 + capturing.pop(stream)
    return True


def resume(core, stream, graph):
    capturing[stream] = stream * 10 + 1
    return True


def create(core, stream, graph, executable):
    executable._obj.value = graph.value + 1
    return True


wp_cuda["wp_cuda_launch_kernel"] = Launch()
wp_cuda["wp_cuda_graph_launch"] = lambda *args: args[0].value != 1
wp_cuda["wp_cuda_stream_get_capture_id"] = lambda stream: capturing.get(stream, 0)
wp_cuda["wp_cuda_graph_begin_capture"] = begin
wp_cuda["wp_cuda_graph_end_capture"] = wp_cuda["wp_cuda_graph_pause_capture"] = end
wp_cuda["wp_cuda_graph_resume_capture"] = resume
wp_cuda["wp_cuda_graph_create_exec"] = create
for name in ("destroy", "exec_destroy", "insert_while", "insert_if_else"):
    wp_cuda["wp_cuda_graph_" + name] = lambda *args: True


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


def launch(kernel, dim, stream=0):
    place = 7 if len(wp_cuda["wp_cuda_launch_kernel"].argtypes) <= 9 else 9  # 11 arguments from Warp 1.16
    return core.wp_cuda_launch_kernel(*[1, kernel, dim, *[0] * (place - 3), stream])


def capture_end(stream):
    graph = ctypes.c_void_p()
    core.wp_cuda_graph_end_capture(1, stream, ctypes.byref(graph))  # LATE
    return graph


forward, backward = Executable().get_kernel_hooks(far)
core = context.runtime.core
for _ in range(9):
    launch(forward, 64)
launch(backward, 32)
print(launch(forward, 640))  # refused

# A graph: three launches go into it, one goes elsewhere meanwhile; a fourth comes after a pause. It runs 5 times.
core.wp_cuda_graph_begin_capture(1, 3, 0)
launch(forward, 16, 3)
launch(forward, 16, 3)
launch(backward, 16, 3)
launch(forward, 8, 4)
graph = ctypes.c_void_p()
core.wp_cuda_graph_pause_capture(1, 3, ctypes.byref(graph))
launch(forward, 8, 3)
core.wp_cuda_graph_resume_capture(1, 3, graph)
launch(forward, 24, 3)
graph = capture_end(3)
executable = ctypes.c_void_p()
core.wp_cuda_graph_create_exec(1, 3, graph, ctypes.byref(executable))
for _ in range(5):
    print(core.wp_cuda_graph_launch(executable, 3))

# Graphs that kiln cannot know, one that is refused, one that is gone.
for _ in range(3):
    core.wp_cuda_graph_launch(ctypes.c_void_p(2), 3)
print(core.wp_cuda_graph_launch(ctypes.c_void_p(1), 3))
core.wp_cuda_graph_insert_while(1, 3)
core.wp_cuda_graph_insert_if_else(1, 3)
core.wp_cuda_graph_exec_destroy(1, executable)
core.wp_cuda_graph_launch(executable, 3)
