"""What kiln sees of NVIDIA Warp: every build, load and declaration, and who asked for it.

Loaded when warp is imported, in a namespace of its own with the agent's functions (agents/preload/boot.c): emit, now,
hook, filter_hook, thunk, release, can_count, pch. Hooks leave no frame, so sys._getframe(1) in a `before` or `after`
is the caller of the hooked function. They only look; what they raise is reported and swallowed.

An `after` is called as after(result, args, kwargs, span, failed, note).
"""

from __future__ import annotations

import hashlib
import os
import sys
from _thread import get_ident
from typing import Any, Callable, Optional

FRAMEWORK = "warp"
BUILDERS = {"build_cpu": "llvm", "build_cuda": "nvrtc"}
SHIMS_UNTIL = (1, 12)  # until then the struct of the launch bounds is passed by value, on the stack

context: Any = None  # the module warp._src.context
package = ""  # folder of the package, with a slash
library = os.path.dirname(os.__file__) + os.sep
undo: list[tuple[Any, str, bool, Any]] = []
given_up = False

# By thread: nested module builds, begin of a native load, last build's result, kernel of a module not named yet.
building: dict[int, list[dict]] = {}
loading: dict[int, tuple[int, int]] = {}
built: dict[int, tuple[str, str]] = {}
unnamed: dict[int, tuple[Any, tuple]] = {}
hashes: dict[tuple[str, Any], str] = {}  # (module, block_dim) -> identity written last
thunks: dict[bytes, list[int]] = {}  # handle of a loaded object -> addresses given out
config_writes: dict[str, Optional[dict]] = {}  # name -> where the program set it last


# ---- patching ------------------------------------------------------------------------------------------------------


def put(owner: Any, name: str, value: Any) -> None:
    """Set an attribute so that undo_all can take it back."""
    attributes = vars(owner)
    undo.append((owner, name, name in attributes, attributes.get(name)))
    setattr(owner, name, value)


def undo_all() -> None:
    """Take back every patch, last one first, and stay out of the way from now on."""
    global given_up
    given_up = True
    for owner, name, had, value in reversed(undo):
        if had:
            setattr(owner, name, value)
        else:
            delattr(owner, name)
    undo.clear()


def patch(owner: Any, name: str, before: Optional[Callable], after: Optional[Callable], make: Callable = hook) -> None:
    """Hook a function of a module or a method of a class; one that this version lacks is reported."""
    original = vars(owner).get(name)
    if original is None:
        label = getattr(owner, "__name__", "?") + "." + name
        emit("error", {"hook": label, "message": "this version of warp has no such function"})
        return
    put(owner, name, make(original, before, after, isinstance(owner, type)))


def guarded(name: str, function: Callable, *args: Any) -> None:
    """Patch a part; if that fails half-way, nothing stays patched."""
    if given_up:
        return
    try:
        function(*args)
    except Exception as error:
        undo_all()
        emit("error", {"hook": name, "message": "%s: %s" % (type(error).__name__, error)})


def is_shim(module: Any) -> bool:
    """From 1.10 to 1.12 warp.context and others only repeat the names of warp._src.*."""
    return not module.__name__.startswith("warp._src.") and "warp._src" in sys.modules


# ---- common fields -------------------------------------------------------------------------------------------------


def is_user_file(name: str) -> bool:
    if name.startswith(("<frozen", "<kiln")):
        return False
    if name.startswith(package):
        return name.startswith((package + "examples" + os.sep, package + "tests" + os.sep))
    return not name.startswith(library) or "site-packages" in name or "dist-packages" in name


def where(frame: Any) -> Optional[dict]:
    """The nearest frame of the user's code, from this one outwards."""
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            return {"file": frame.f_code.co_filename, "line": frame.f_lineno}
        frame = frame.f_back
    return None


def write(kind: str, fields: dict, span: Optional[tuple] = None, at: Optional[dict] = None) -> None:
    """Write an event of this framework, without the fields that are not known."""
    event = {"framework": FRAMEWORK}
    event.update((name, value) for name, value in fields.items() if value is not None)
    if at is not None:
        event["where"] = at
    emit(kind, event, span)


def argument(args: tuple, kwargs: Optional[dict], index: int, name: str) -> Any:
    if len(args) > index:
        return args[index]
    return kwargs.get(name) if kwargs else None


def identity_of(hasher: Any) -> Optional[str]:
    if hasher is None:
        return None
    get = getattr(hasher, "get_hash", None) or hasher.get_module_hash
    return get().hex()


def kernel_name(kernel: Any) -> str:
    return "%s<%s>" % (kernel.key, kernel.sig) if getattr(kernel, "sig", "") else kernel.key


def warp_config() -> Any:
    return sys.modules.get("warp.config") or sys.modules["warp"].config


def warp_version() -> str:
    return str(warp_config().version)


# ---- declaration, hashing, invalidation ----------------------------------------------------------------------------


def write_declare(kernel: Any, module: str, span: tuple, overload: Optional[str] = None, trigger: Any = None) -> None:
    code = kernel.func.__code__
    fields = {"module": module, "kernel": kernel.key, "loaded": bool(kernel.module.execs)}
    fields.update(overload=overload, trigger=trigger)
    write("declare", fields, span, {"file": code.co_filename, "line": code.co_firstlineno})


def declared(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    kernel = args[0]
    if failed or kernel.module is None:
        return
    caller = sys._getframe(1)
    if caller.f_code.co_name == "wrapper" and caller.f_locals.get("module") == "unique":
        unnamed[get_ident()] = (kernel, span)  # its module is named after the hash that comes next
    else:
        write_declare(kernel, kernel.module.name, span)


def unique_name(hasher: Any, module: Any, identity: str) -> str:
    """Name that a module of a single kernel is about to get; its declaration is written now."""
    kernel, span = unnamed.get(get_ident(), (None, ()))
    if kernel is None or kernel.module is not module:
        return module.name
    del unnamed[get_ident()]
    if kernel.is_generic and not kernel.overloads and hasattr(hasher, "_hash_kernel_identity"):
        salted = hashlib.sha256(bytes.fromhex(identity))
        hasher._hash_kernel_identity(salted, kernel)
        name = "%s_%s" % (kernel.key, salted.hexdigest()[:8])
    else:
        name = "%s_%s" % (kernel.key, identity[:8])
    write_declare(kernel, name, span)
    return name


def kernel_digests(hasher: Any) -> dict:
    digests: dict = {}
    for digest, kernel in hasher.unique_kernels.items():
        name = kernel_name(kernel)
        if name in digests:  # closures: several kernels of one name
            name = "%s#%d" % (name, len(digests))
        digests[name] = digest.hex()[:16]
    return digests


def hashed(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    names = sys._getframe(1).f_locals
    module = names.get("self")
    if failed or not isinstance(module, context.Module):
        return
    options = argument(args, kwargs, 2, "options") or module.options
    if "output_arch" in options:
        return  # a check inside a build, not an identity
    identity, block_dim = identity_of(args[0]), options.get("block_dim")
    name = unique_name(args[0], module, identity)
    fields = {"module": name, "identity": identity, "block_dim": block_dim}
    if hashes.get((name, block_dim)) != identity:
        hashes[name, block_dim] = identity
        fields["options"] = {option: str(value) for option, value in options.items()}
        fields["kernels"] = kernel_digests(args[0])
    write("hash", fields, span)


def modified(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Module.mark_modified is also where a new overload shows: launch asks for overloads each time, this is rare."""
    module, caller = args[0], sys._getframe(1)
    at = None
    if caller.f_code.co_name in ("_add_normalized_overload", "add_overload"):
        names = caller.f_locals
        at = where(caller)
        if "ovl" in names and "sig" in names:
            write_declare(names["ovl"], module.name, span, names["sig"], at)
    if module.execs:
        write("invalidate", {"module": module.name, "loaded": True}, None, at or where(caller))


# ---- options -------------------------------------------------------------------------------------------------------


def module_of_options(args: tuple, kwargs: Any, caller: Any) -> Any:
    """The module that set_module_options is about to change; None when it does not exist yet."""
    module = argument(args, kwargs, 1, "module")
    if isinstance(module, context.Module):
        return module
    name = caller.f_globals.get("__name__") if module is None else getattr(module, "__name__", module)
    return context.user_modules.get(name)


def options_begin(args: tuple, kwargs: Any) -> dict:
    module = module_of_options(args, kwargs, sys._getframe(1))
    return dict(module.options if module is not None else context.Module("").options)


def options_set(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    module = module_of_options(args, kwargs, sys._getframe(1))
    if module is None or note is None:
        return
    changes = {
        name: [str(note.get(name)), str(value)] for name, value in module.options.items() if value != note.get(name)
    }
    if changes:
        fields = {"module": module.name, "changes": changes, "loaded": bool(module.execs)}
        write("option", fields, None, where(sys._getframe(1)))


def config_begin(args: tuple, kwargs: Any) -> Any:
    return vars(args[0]).get(args[1])


def config_set(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Only what the program sets itself; warp writes into its configuration too."""
    caller, (config, name, value) = sys._getframe(1), args[:3]
    if failed or not is_user_file(caller.f_code.co_filename):
        return
    at = config_writes[name] = where(caller)
    if value == note:
        return
    loaded = context is not None and any(module.execs for module in context.user_modules.values())
    event = {"framework": FRAMEWORK, "module": None, "changes": {name: [str(note), str(value)]}, "loaded": loaded}
    event["where"] = at
    emit("option", event)
    if name == "cache_kernels" and not value:
        write("cache", {"what": "off"}, None, at)


def patch_config() -> None:
    config = warp_config()
    base = type(config)
    setter = hook(base.__setattr__, config_begin, config_set, True)
    observed = type(base.__name__, (base,), {"__setattr__": setter, "__module__": base.__module__})
    undo.append((config, "__class__", True, base))
    config.__class__ = observed


# ---- builds --------------------------------------------------------------------------------------------------------


def device_alias(device: Any, arch: Any) -> str:
    if device is not None:
        return device.alias
    return "cuda" if arch is not None else context.runtime.get_device().alias


def compile_begin(args: tuple, kwargs: Any) -> None:
    module = args[0]
    device = device_alias(argument(args, kwargs, 1, "device"), argument(args, kwargs, 4, "output_arch"))
    building.setdefault(get_ident(), []).append({"module": module.name, "device": device})
    emit("mark", {"name": "begin", "what": "compile", "module": module.name})


def artefact_folder(args: tuple, kwargs: Any, identity: Optional[str]) -> str:
    folder, module = argument(args, kwargs, 2, "output_dir"), args[0]
    if folder is not None:
        return os.fspath(folder)
    name = "wp_" + module.name
    if identity is not None and not module.options.get("strip_hash"):
        name += "_" + identity[:7]
    return os.path.join(str(warp_config().kernel_cache_dir), name)


def compiled(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    module, caller = args[0], sys._getframe(1)
    stack = building.get(get_ident())
    work = stack.pop() if stack else {"module": module.name, "device": None}
    block_dim = (argument(args, kwargs, 6, "options") or module.options).get("block_dim")
    identity = identity_of(module.hashers.get(block_dim))
    outcome = "failed" if failed else "compiled" if result or work.get("native") else "cached"
    built[get_ident()] = (module.name, outcome)
    fields = {"step": "module", "module": module.name, "identity": identity, "device": work["device"]}
    fields.update(block_dim=block_dim, toolchain="llvm" if work["device"] == "cpu" else "nvrtc", result=outcome)
    fields.update({name: work[name] for name in ("bytes", "digest", "lto") if name in work})
    fields["path"] = artefact_folder(args, kwargs, identity)
    fields["aot"] = caller.f_code.co_name == "compile_aot_module"
    write("compile", fields, span, where(caller))


def work_here() -> dict:
    stack = building.get(get_ident())
    return stack[-1] if stack else {}


def generated(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    work, options = work_here(), argument(args, kwargs, 1, "options") or {}
    fields = {"module": args[0].name, "block_dim": options.get("block_dim"), "device": work.get("device")}
    if not failed:
        source = result[0].encode("utf-8", "replace")
        work.update(bytes=len(source), digest=hashlib.sha256(source).hexdigest()[:16], lto=len(result[3]))
        fields.update({name: work[name] for name in ("bytes", "digest", "lto")})
    write("codegen", fields, span)


def generated_by_builder(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Until 1.14, where Module._run_codegen does not exist: ModuleBuilder.codegen(device) gives the source."""
    builder, work = args[0], work_here()
    links = len(getattr(builder, "ltoirs", ()) or ())
    options = {"block_dim": builder.options.get("block_dim")}
    generated((result or "", "", {}, [None] * links), (builder.module, options), None, span, failed, note)


def native_begin(args: tuple, kwargs: Any) -> None:
    pch()  # forget one that was made outside a build


def native_after(toolchain: str) -> Callable:
    def after(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
        work, made = work_here(), pch()
        work["native"] = True
        if made is not None:
            write("pch", {"path": made[2]}, (span[0], span[1], made[0] - span[0], made[1] - span[1]))
        fields = {"step": "native", "module": work.get("module"), "toolchain": toolchain}
        fields["result"] = "failed" if failed else "compiled"
        write("compile", fields, span)

    return after


def link_file(build: Any, symbol: str) -> Optional[tuple]:
    """What tells the cached file of a link-time object from a new one."""
    name = build.hash_symbol(symbol)[: getattr(build, "LTO_CACHE_KEY_LENGTH", 7)] + ".lto"
    try:
        info = os.stat(os.path.join(build.get_lto_cache_dir(), name))
    except OSError:
        return None
    return (info.st_ino, info.st_mtime_ns)


def patch_links(build: Any) -> None:
    def begin(args: tuple, kwargs: Any) -> Optional[tuple]:
        symbol = argument(args, kwargs, 0, "lto_symbol")
        seen = link_file(build, symbol)
        if seen is None:
            emit("mark", {"name": "begin", "what": "link", "symbol": symbol})
        return seen

    def after(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
        symbol = argument(args, kwargs, 0, "lto_symbol")
        outcome = "failed" if failed or not result[0] else "compiled"
        if outcome == "compiled" and note is not None and link_file(build, symbol) == note:
            outcome = "cached"
        write("link", {"symbol": symbol, "result": outcome}, span)

    patch(build, "_build_lto_base", begin, after)


# ---- loads, launches -----------------------------------------------------------------------------------------------


def load_begin(args: tuple, kwargs: Any) -> None:
    loading[get_ident()] = now()


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
    fields["result"] = "compiled" if built.pop(get_ident(), None) == (name, "compiled") else "cached"
    write("load", fields, (t, cpu, end[0] - t, end[1] - cpu), where(caller))


def dim_place(kernel: Any) -> tuple[int, int]:
    """How a native kernel of this version receives the number of threads: (kind of thunk, offset)."""
    types = sys.modules.get("warp._src.types") or sys.modules["warp.types"]
    dims = getattr(kernel.adj, "kernel_dim", 1) or 1
    field = type(types.launch_bounds_t((1,) * dims)).size
    if field.size != 8:
        raise TypeError("the size in launch_bounds_t has %d bytes" % field.size)
    by_value = tuple(int(part) for part in warp_version().split(".")[:2]) <= SHIMS_UNTIL
    return (1 if by_value else 0, field.offset)


def looked_up(address: int, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> Optional[int]:
    """The native address of a kernel, once per kernel and direction; the answer replaces it."""
    names = sys._getframe(1).f_locals
    kernel, executable = names.get("kernel"), names.get("self")
    if kernel is None or executable is None or failed:
        return None
    module = kernel.module
    write("lookup", {"module": module.name, "kernel": kernel_name(kernel)}, span)
    if not address:
        return None
    direction = "backward" if args[1].endswith(b"_backward") else "forward"
    fields = {"framework": FRAMEWORK, "module": module.name, "identity": executable.module_hash.hex()}
    fields.update(kernel=kernel_name(kernel), device=executable.device.alias)
    fields["block_dim"] = getattr(executable, "block_dim", module.options.get("block_dim"))
    fields["direction"] = direction
    counted = thunk(address, fields, *dim_place(kernel))
    thunks.setdefault(args[0], []).append(counted)
    return counted


def unloaded(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    for address in thunks.pop(args[0], ()):
        release(address)


def cuda_kernel(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    kernel = sys._getframe(1).f_locals.get("kernel")
    if kernel is not None:
        write("lookup", {"module": kernel.module.name, "kernel": kernel_name(kernel)}, span)


def patch_native(runtime: Any) -> None:
    """Entry points of Warp's libraries; ctypes functions are attributes of the library's object."""
    llvm = runtime.llvm
    if llvm is not None:
        put(llvm, "wp_load_obj", hook(llvm.wp_load_obj, load_begin, None, False))
        put(llvm, "wp_unload_obj", hook(llvm.wp_unload_obj, None, unloaded, False))
        put(llvm, "wp_lookup", filter_hook(llvm.wp_lookup, None, looked_up, False))
        if not can_count():
            emit("error", {"hook": "thunk", "message": "launches are not counted on this architecture"})
    core = runtime.core
    put(core, "wp_cuda_get_kernel", hook(core.wp_cuda_get_kernel, None, cuda_kernel, False))


def started(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Runtime.__init__ is over: the framework is initialised and its libraries are loaded."""
    emit("mark", {"name": "init", "framework": FRAMEWORK}, span)
    if not failed:
        guarded("native", patch_native, args[0])


# ---- caches, tape --------------------------------------------------------------------------------------------------


def cache_root(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if failed:
        return
    fields, at = {"what": "root", "path": str(warp_config().kernel_cache_dir)}, None
    if argument(args, kwargs, 0, "path") is not None:
        fields["by"], at = "program", config_writes.get("kernel_cache_dir") or where(sys._getframe(1))
    else:
        fields["by"] = "environment" if "WARP_CACHE_PATH" in os.environ else "default"
    write("cache", fields, None, at)


def cache_cleared(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    fields = {"what": "clear", "path": str(warp_config().kernel_cache_dir)}
    write("cache", fields, None, where(sys._getframe(1)))


def backward(args: tuple, kwargs: Any) -> None:
    write("tape", {"what": "backward"}, None, where(sys._getframe(1)))


# ---- the watched modules -------------------------------------------------------------------------------------------


def patch_context(module: Any) -> None:
    patch(module.Runtime, "__init__", None, started)
    patch(module.Kernel, "__init__", None, declared)
    patch(module.ModuleHasher, "__init__", None, hashed)
    patch(module.ModuleExec, "__init__", None, loaded)
    patch(module.Module, "mark_modified", None, modified)
    patch(module.Module, "_compile" if "_compile" in vars(module.Module) else "compile", compile_begin, compiled)
    if "_run_codegen" in vars(module.Module):
        patch(module.Module, "_run_codegen", None, generated)
    else:
        patch(module.ModuleBuilder, "codegen", None, generated_by_builder)
    patch(module, "set_module_options", options_begin, options_set)
    patch_config()


def see_context(module: Any) -> None:
    global context, package
    if is_shim(module) or context is not None:
        return
    context, package = module, os.path.dirname(sys.modules["warp"].__file__) + os.sep
    emit("mark", {"name": "framework", "framework": FRAMEWORK, "version": warp_version()})
    guarded("context", patch_context, module)


def patch_build(module: Any) -> None:
    for name, toolchain in BUILDERS.items():
        patch(module, name, native_begin, native_after(toolchain))
    patch(module, "load_cuda", load_begin, None)
    patch_links(module)
    patch(module, "init_kernel_cache", None, cache_root)
    patch(module, "clear_kernel_cache", None, cache_cleared)
    patch(module, "clear_lto_cache", None, cache_cleared)


def see_build(module: Any) -> None:
    if not is_shim(module):
        guarded("build", patch_build, module)


def see_tape(module: Any) -> None:
    if not is_shim(module):
        guarded("tape", lambda tape: patch(tape.Tape, "backward", backward, None), module)
