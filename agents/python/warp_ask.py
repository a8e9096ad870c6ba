"""Warp adapter, part 6: what the program asks for beside launches, where kernels come from, what the source is made of.

Runs in the namespace of warp.py, which says how; boot.py joins the files.
"""

from __future__ import annotations

import re

DEFINITION = re.compile(r"(\w+)\(\n")
KERNEL = re.compile(r"(\w+)_[0-9a-f]{8}_(?:cpu|cuda)_kernel_(?:forward|backward)$")
QUERIES = ("get_suggested_block_size", "get_cuda_kernel_properties", "get_max_cluster_dim")
ARTEFACTS = (".o", ".ptx", ".cubin")
begun = time()


def source_parts(source: str) -> dict:
    """Of generated source: bytes of backward functions, number of kernels, and the largest of them with its bytes."""
    backward, sizes = 0, {}
    for found in DEFINITION.finditer(source):
        end = source.find("\n}\n", found.end())
        size = (end if end > 0 else len(source)) - found.start()
        name = found.group(1)
        if name.startswith("adj_") or name.endswith("_kernel_backward"):
            backward += size
        kernel = KERNEL.match(name)
        if kernel:
            sizes[name.rsplit("_kernel_", 1)[0]] = sizes.get(name.rsplit("_kernel_", 1)[0], 0) + size
    if not sizes:
        return {"backward_bytes": backward}
    largest = max(sizes, key=sizes.__getitem__)
    return {
        "backward_bytes": backward,
        "kernel_count": len(sizes),
        "largest": KERNEL.match(largest + "_kernel_forward").group(1),
        "largest_bytes": sizes[largest],
    }


def unrolled(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Adjoint.get_unroll_range gives a range when the loop's body is repeated in the source."""
    if type(result) is range:
        work = work_here()
        work["unrolled"] = work.get("unrolled", 0) + len(result)


def code_digest(function: Any, depth: int = 0) -> str:
    """Of what a function does, whatever constants it closes over: equal for the products of one factory."""
    code = function.__code__
    digest = hashlib.sha256(code.co_code + repr(code.co_names).encode())
    for cell in function.__closure__ or () if depth < 3 else ():
        try:
            inner = getattr(cell.cell_contents, "func", cell.cell_contents)
        except ValueError:  # an empty cell
            continue
        if hasattr(inner, "__code__"):
            digest.update(code_digest(inner, depth + 1).encode())
    return digest.hexdigest()[:16]


def origin(function: Any, frame: Any) -> dict:
    """Of a kernel that a function makes (a closure, generated text): what it does, and who called that function."""
    name = function.__qualname__
    if "<locals>" not in name and not function.__code__.co_filename.startswith("<"):
        return {}
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    maker = name.rsplit(".<locals>", 1)[0].rsplit(".", 1)[-1]
    if frame is not None and frame.f_code.co_name == maker and "<locals>" in name:
        frame = frame.f_back
    return {"code": code_digest(function), "made": where(frame)}


def device_names(device: Any) -> Optional[list]:
    if device is None:
        return None
    return [str(one) for one in (device if isinstance(device, (list, tuple)) else [device])][:16]


def force_load_begin(args: tuple, kwargs: Any) -> None:
    modules = argument(args, kwargs, 1, "modules")
    fields = {"what": "force_load", "devices": device_names(argument(args, kwargs, 0, "device"))}
    fields["modules"] = None if modules is None else [module.name for module in modules][:64]
    fields["block_dim"] = argument(args, kwargs, 2, "block_dim")
    workers = argument(args, kwargs, 3, "max_workers")
    fields["max_workers"] = getattr(warp_config(), "load_module_max_workers", None) if workers is None else workers
    write("request", fields, None, where(sys._getframe(1)))


def capture_open(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if not failed:
        write("request", {"what": "capture_begin"}, None, where(sys._getframe(1)))


def capture_closing(args: tuple, kwargs: Any) -> None:
    write("request", {"what": "capture_end"}, None, where(sys._getframe(1)))


def query(name: str) -> Callable:
    def begin(args: tuple, kwargs: Any) -> None:
        kernel = argument(args, kwargs, 0, "kernel")
        module = getattr(getattr(kernel, "module", None), "name", None)
        fields = {"what": name, "kernel": getattr(kernel, "key", None), "modules": None if module is None else [module]}
        write("request", fields, None, where(sys._getframe(1)))

    return begin


def patch_requests(module: Any) -> None:
    """Not every version has all of them, and none is needed to count anything."""
    wanted = {name: (query(name), None) for name in QUERIES}
    wanted.update(force_load=(force_load_begin, None), capture_end=(capture_closing, None))
    wanted["capture_begin"] = (None, capture_open)
    for name, (begin, end) in wanted.items():
        if name in vars(module):
            patch(module, name, begin, end)
    codegen = sys.modules.get("warp._src.codegen") or sys.modules.get("warp.codegen")
    if codegen is not None and "get_unroll_range" in vars(codegen.Adjoint):
        patch(codegen.Adjoint, "get_unroll_range", None, unrolled)


def unusable(folder: str) -> dict:
    """What lay in the cache already and could not be used: artefacts of this identity under another name (another
    processor, another architecture), or in the folder of another version of Warp."""
    fields = {}
    try:
        names = [name for name in os.listdir(folder) if name.endswith(ARTEFACTS)]
        stale = [name for name in names if os.stat(os.path.join(folder, name)).st_mtime < begun]
        if stale:
            fields["stale"] = sorted(stale)[:8]
            fields["fresh"] = sorted(set(names) - set(stale))[:8]
        root, name = os.path.split(folder)
        base, version = os.path.split(root)
        if version == warp_version():
            other = [item for item in os.listdir(base) if item != version and item[:1].isdigit()]
            found = [item for item in other if os.path.isdir(os.path.join(base, item, name))]
            if found:
                fields["elsewhere"] = sorted(found)[:8]
    except OSError:
        pass
    return fields


def link_arguments(frame: Any) -> dict:
    """The call that makes a link-time object, so that it can be made again ahead of time."""
    while frame is not None and not frame.f_code.co_name.startswith("build_lto_"):
        frame = frame.f_back
    if frame is None:
        return {}
    code, values = frame.f_code, {}
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        if name == "builder":
            continue
        if value is None or isinstance(value, (bool, int, float, str)):
            values[name] = value
        elif isinstance(value, type):
            values[name] = "warp." + value.__name__
        else:
            values[name] = str(value)[:256]
    return {"function": code.co_name, "arguments": values}
