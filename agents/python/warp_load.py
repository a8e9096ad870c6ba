"""Warp adapter, part 4: loads, kernel entries, launches.

Runs in the namespace of warp.py, which says how; boot.py joins the files.
"""

from __future__ import annotations

def load_begin(args: tuple, kwargs: Any) -> None:
    loading[get_ident()] = now()


def load_cuda_begin(args: tuple, kwargs: Any) -> None:
    """The path tells what is loaded; from PTX the driver compiles, inside this load."""
    path = argument(args, kwargs, 0, "input_path")
    driver_builds[get_ident()] = os.fspath(path).endswith(".ptx")
    load_begin(args, kwargs)


def write_found(module: Any, fields: dict, caller: Any, span: tuple) -> None:
    """Until 1.10 Module.load itself looks whether there is something to build; where it finds an artefact, nothing is
    called that could be hooked. A load from a path that the program gave has no `module_dir`."""
    folder = caller.f_locals.get("module_dir")
    if folder is None:
        return
    found = dict(fields, step="module", result="cached", path=os.fspath(folder), aot=False)
    found["toolchain"] = "llvm" if fields["device"] == "cpu" else "nvrtc"
    write("compile", found, span, where(caller))


def loaded(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """ModuleExec.__init__ ends a load that began with the native one."""
    if failed:
        return
    executable, caller = args[0], sys._getframe(1)
    t, cpu = loading.pop(get_ident(), span[:2])
    end = now()
    module = caller.f_locals.get("self")
    name = getattr(module, "name", None)
    block_dim = getattr(executable, "block_dim", None) or getattr(module, "options", {}).get("block_dim")
    fields = {"module": name, "identity": executable.module_hash.hex(), "device": executable.device.alias}
    fields["block_dim"] = block_dim
    outcome = built.pop(get_ident(), None)
    if outcome is None and "_compile" not in vars(context.Module):
        write_found(module, fields, caller, (t, cpu, 0, 0))
    fields["result"] = "compiled" if outcome == (name, "compiled") else "cached"
    if driver_builds.pop(get_ident(), False):
        fields["jit"] = True
    write("load", fields, (t, cpu, end[0] - t, end[1] - cpu), where(caller))


def dim_place(kernel: Any) -> tuple[int, int]:
    """How a native kernel of this version receives the number of threads: (kind of thunk, offset)."""
    types = sys.modules.get("warp._src.types") or sys.modules["warp.types"]
    dims = getattr(kernel.adj, "kernel_dim", 1) or 1
    field = type(types.launch_bounds_t((1,) * dims)).size
    if field.size != 8:
        raise TypeError("the size in launch_bounds_t has %d bytes" % field.size)
    by_value = version_numbers() <= SHIMS_UNTIL
    return (1 if by_value else 0, field.offset)


def signature_fields(kernel: Any, executable: Any, symbol: bytes) -> dict:
    module = kernel.module
    fields = {"framework": FRAMEWORK, "module": module.name, "identity": executable.module_hash.hex()}
    fields.update(kernel=kernel_name(kernel), device=executable.device.alias)
    fields["block_dim"] = getattr(executable, "block_dim", module.options.get("block_dim"))
    fields["direction"] = "backward" if symbol.endswith(b"_backward") else "forward"
    return fields


def lookup_of(caller: Any, span: tuple) -> Optional[tuple[Any, Any]]:
    """Kernel and executable of a lookup that is over; None when it was not done for a launch."""
    kernel, executable = caller.f_locals.get("kernel"), caller.f_locals.get("self")
    if kernel is None or executable is None:
        return None
    write("lookup", {"module": kernel.module.name, "kernel": kernel_name(kernel)}, span)
    return kernel, executable


def looked_up(address: int, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> Optional[int]:
    """The native address of a kernel, once per kernel and direction; the answer replaces it."""
    found = None if failed else lookup_of(sys._getframe(1), span)
    if found is None or not address:
        return None
    counted = thunk(address, signature_fields(*found, args[1]), *dim_place(found[0]))
    thunks.setdefault(args[0], []).append(counted)
    return counted


def unloaded(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    for address in thunks.pop(args[0], ()):
        release(address)


def patch_native(runtime: Any) -> None:
    """Entry points of Warp's libraries; ctypes functions are attributes of the library's object."""
    llvm, core = runtime.llvm, runtime.core
    if llvm is not None:
        put(llvm, "wp_load_obj", hook(llvm.wp_load_obj, load_begin, None, False))
        put(llvm, "wp_unload_obj", hook(llvm.wp_unload_obj, None, unloaded, False))
        put(llvm, "wp_lookup", filter_hook(llvm.wp_lookup, None, looked_up, False))
        if not can_count():
            emit("error", {"hook": "thunk", "message": "launches on the CPU are not counted on this architecture"})
    patch_device(core)


def started(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Runtime.__init__ is over: the framework is initialised and its libraries are loaded."""
    emit("mark", {"name": "init", "framework": FRAMEWORK}, span)
    if os.environ.get("CUDA_CACHE_DISABLE", "0") not in ("", "0"):
        emit("cache", {"framework": "cuda", "what": "off", "by": "environment"})
    if not failed:
        guarded("native", patch_native, args[0])


def recording(args: tuple, kwargs: Any) -> None:
    write("tape", {"what": "record"}, None, where(sys._getframe(1)))


def backward(args: tuple, kwargs: Any) -> None:
    write("tape", {"what": "backward"}, None, where(sys._getframe(1)))
