"""What kiln sees of NVIDIA Warp: every build, load and declaration, and who asked for it.

Loaded when warp is imported, in a namespace of its own with the agent's functions (agents/preload/boot.c): emit, now,
hook, filter_hook, thunk, release, signature, launch_hook, graph_hook, can_count, pch. Hooks leave no frame, so sys._getframe(1) in
a `before` or `after` is the caller of the hooked function. They only look; what they raise is reported and swallowed.
The other parts (warp_declare, warp_build, warp_load, warp_graph, warp_ask) run in the same namespace; boot.py joins them.

An `after` is called as after(result, args, kwargs, span, failed, note).
"""

from __future__ import annotations

import hashlib
import os
import sys
from _thread import get_ident
from time import time
from typing import Any, Callable, Optional

FRAMEWORK = "warp"
BUILDERS = {"build_cpu": "llvm", "build_cuda": "nvrtc"}
OLDEST = (1, 9)  # that kiln is tested with
SHIMS_UNTIL = (1, 12)  # until then the struct of the launch bounds is passed by value, on the stack

context: Any = None  # the module warp._src.context
package = ""  # folder of the package, with a slash
library = os.path.dirname(os.__file__) + os.sep
undo: list[tuple[Any, str, bool, Any]] = []
given_up = False
seen: dict[int, tuple[object, Any]] = {}  # modules that were patched, by id

# By thread: nested module builds, begin of a native load, last build's result, kernel of a module not named yet.
building: dict[int, list[dict]] = {}
loading: dict[int, tuple[int, int]] = {}
built: dict[int, tuple[str, str]] = {}
unnamed: dict[int, tuple[Any, tuple, dict]] = {}
hashes: dict[tuple[str, Any], str] = {}  # (module, block_dim) -> identity written last
driver_builds: dict[int, bool] = {}  # by thread: what is being loaded is PTX
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


def is_first_sight(module: Any) -> bool:
    """Threads that import at once all come here. From 1.10 to 1.12 warp.context and others only repeat the names of
    warp._src.*."""
    if not module.__name__.startswith("warp._src.") and "warp._src" in sys.modules:
        return False
    own = object()
    return seen.setdefault(id(module), (own, module))[0] is own


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
    for name in ("warp.config", "warp._src.config"):  # 1.10 has only the second
        if name in sys.modules:
            return sys.modules[name]
    return sys.modules["warp"].config


def warp_version() -> str:
    return str(warp_config().version)


def version_numbers() -> tuple:
    return tuple(int(part) for part in warp_version().split(".")[:2] if part.isdigit())


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
    patch_requests(module)
    patch_config()


def see_context(module: Any) -> None:
    global context, package
    if not is_first_sight(module):
        return
    context, package = module, os.path.dirname(sys.modules["warp"].__file__) + os.sep
    emit("mark", {"name": "framework", "framework": FRAMEWORK, "version": warp_version()})
    if version_numbers() < OLDEST:
        message = "warp %s is older than %d.%d: what kiln says about it may be incomplete"
        emit("error", {"hook": "version", "message": message % (warp_version(), *OLDEST)})
    guarded("context", patch_context, module)


def patch_build(module: Any) -> None:
    for name, toolchain in BUILDERS.items():
        patch(module, name, native_begin, native_after(toolchain))
    patch(module, "load_cuda", load_cuda_begin, None)
    patch_links(module)
    patch(module, "init_kernel_cache", None, cache_root)
    patch(module, "clear_kernel_cache", None, cache_cleared)
    patch(module, "clear_lto_cache", None, cache_cleared)


def see_build(module: Any) -> None:
    if is_first_sight(module):
        guarded("build", patch_build, module)


def patch_tape(module: Any) -> None:
    patch(module.Tape, "backward", backward, None)
    patch(module.Tape, "__enter__", recording, None)


def see_tape(module: Any) -> None:
    if is_first_sight(module):
        guarded("tape", patch_tape, module)
