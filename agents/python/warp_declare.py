"""Warp adapter, part 2: declarations, identities, what makes a loaded module stale.

Runs in the namespace of warp.py, which says how; boot.py joins the files.
"""

from __future__ import annotations

def write_declare(
    kernel: Any, module: str, span: tuple, overload: Any = None, trigger: Any = None, more: dict = {}
) -> None:
    code = kernel.func.__code__
    fields = {"module": module, "kernel": kernel.key, "loaded": bool(kernel.module.execs)}
    fields.update(more, overload=overload, trigger=trigger)
    write("declare", fields, span, {"file": code.co_filename, "line": code.co_firstlineno})


def declared(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    kernel = args[0]
    if failed or kernel.module is None:
        return
    caller = sys._getframe(1)
    more = origin(kernel.func, caller)
    if caller.f_code.co_name == "wrapper" and caller.f_locals.get("module") == "unique":
        unnamed[get_ident()] = (kernel, span, more)  # its module is named after the hash that comes next
    else:
        write_declare(kernel, kernel.module.name, span, more=more)


def unique_name(hasher: Any, module: Any, identity: str) -> str:
    """Name that a module of a single kernel is about to get; its declaration is written now."""
    kernel, span, more = unnamed.get(get_ident(), (None, (), {}))
    if kernel is None or kernel.module is not module:
        return module.name
    del unnamed[get_ident()]
    if kernel.is_generic and not kernel.overloads and hasattr(hasher, "_hash_kernel_identity"):
        salted = hashlib.sha256(bytes.fromhex(identity))
        hasher._hash_kernel_identity(salted, kernel)
        name = "%s_%s" % (kernel.key, salted.hexdigest()[:8])
    else:
        name = "%s_%s" % (kernel.key, identity[:8])
    write_declare(kernel, name, span, more=dict(more, unique=True))
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
    if not isinstance(module, context.Module):
        module = names.get("m")  # until 1.9 the decorator hashes a module of one kernel itself
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
