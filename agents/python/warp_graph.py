"""Warp adapter, part 5: launches on a GPU, and CUDA graphs.

A launch into a stream that is being captured does not run: it is remembered with the graph and counted each time the
graph runs. Runs in the namespace of warp.py, which says how; boot.py joins the files.
"""

from __future__ import annotations

kernels: dict[int, Optional[int]] = {}  # a kernel's handle -> id of its signature
captures: dict[int, dict] = {}  # id of a capture that goes on -> what it launches: (signature, dim) -> times
graphs: dict[int, dict] = {}  # handle of a captured graph -> the same
runnable: dict[int, tuple] = {}  # handle of an executable graph -> (signature, dim, times, ...)
stream_place: Optional[int] = None  # which argument of a launch is the stream
said: set[str] = set()


def say_once(subject: str, message: str) -> None:
    if subject not in said:
        said.add(subject)
        emit("error", {"hook": subject, "message": message})


def device_looked_up(handle: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """All kernels are launched through one function, which gets this handle."""
    found = None if failed else lookup_of(sys._getframe(1), span)
    if found is not None and handle:
        kernels[handle] = signature(signature_fields(*found, args[2]))


def handle_of(value: Any) -> int:
    """Of an int, a ctypes pointer, or a reference to one."""
    value = getattr(value, "_obj", value)
    return int(getattr(value, "value", value) or 0)


def capture_of(stream: Any) -> int:
    return int(context.runtime.core.wp_cuda_stream_get_capture_id(stream) or 0)


def captured(args: tuple, signature: int) -> bool:
    """Called while some capture goes on: does this launch belong to it? A capture spreads to other streams, so its id
    decides."""
    if stream_place is None or len(args) <= stream_place:
        return False
    launches = captures.get(capture_of(args[stream_place]))
    if launches is None:
        return False
    key = (signature, handle_of(args[2]))
    launches[key] = launches.get(key, 0) + 1
    return True


def capture_begun(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if result and not failed:
        captures[capture_of(args[1])] = {}


def capture_ending(args: tuple, kwargs: Any) -> int:
    return capture_of(args[1])  # afterwards the stream has none


def capture_ended(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """The end of a capture, or a pause: both give a graph."""
    launches = captures.pop(note, None)
    if launches is None or not result or failed:
        return
    graphs[handle_of(args[2])] = launches
    if sys._getframe(1).f_code.co_name == "capture_end":
        write("capture", {"launches": sum(launches.values())}, None, where(sys._getframe(1)))


def capture_resumed(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if result and not failed:
        captures[capture_of(args[1])] = dict(graphs.get(handle_of(args[2]), {}))


def graph_made(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    launches = graphs.get(handle_of(args[2]))
    if result and not failed and launches is not None:
        runnable[handle_of(args[3])] = tuple(part for key, times in launches.items() for part in (*key, times))


def graph_gone(args: tuple, kwargs: Any) -> None:
    graphs.pop(handle_of(args[1]), None)


def runnable_gone(args: tuple, kwargs: Any) -> None:
    runnable.pop(handle_of(args[1]), None)


def graph_unknown() -> None:
    say_once("graph", "a CUDA graph ran that was not captured by warp in this process: its launches are not counted")


def condition_inserted(args: tuple, kwargs: Any) -> None:
    say_once("condition", "launches in the body of capture_if or capture_while are not counted: the GPU decides how often")


def patch_graphs(core: Any) -> None:
    hooks = {
        "begin_capture": (None, capture_begun),
        "end_capture": (capture_ending, capture_ended),
        "pause_capture": (capture_ending, capture_ended),
        "resume_capture": (None, capture_resumed),
        "create_exec": (None, graph_made),
        "destroy": (graph_gone, None),
        "exec_destroy": (runnable_gone, None),
        "insert_if_else": (condition_inserted, None),
        "insert_while": (condition_inserted, None),
    }
    for name, (before, after) in hooks.items():
        original = getattr(core, "wp_cuda_graph_" + name, None)
        if original is not None:
            put(core, "wp_cuda_graph_" + name, hook(original, before, after, False))
    put(core, "wp_cuda_graph_launch", graph_hook(core.wp_cuda_graph_launch, runnable, graph_unknown))


def patch_device(core: Any) -> None:
    global stream_place
    types = [getattr(kind, "__name__", "") for kind in getattr(core.wp_cuda_launch_kernel, "argtypes", None) or ()]
    if "LP_c_void_p" in types:
        stream_place = types.index("LP_c_void_p") + 1  # behind the kernel's parameters in every version
    put(core, "wp_cuda_get_kernel", hook(core.wp_cuda_get_kernel, None, device_looked_up, False))
    put(core, "wp_cuda_launch_kernel", launch_hook(core.wp_cuda_launch_kernel, kernels, captures, captured))
    patch_graphs(core)
