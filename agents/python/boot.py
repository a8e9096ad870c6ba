"""First Python code of an observed interpreter: runs inside its start, before `site`.

Nothing is imported here and nothing is left behind; frameworks get their adapter when they are imported.
The functions used here (hook, import_hook, ...) are put into this namespace by agents/preload/boot.c.
"""


def _adapter(files: tuple, entry: str) -> object:
    """A watcher that runs agents/python/<file>.py of all files in one namespace, once, and calls its `entry`."""

    def seen(module: object) -> None:
        scope = _scopes.get(files)
        if scope is None:
            scope = dict(_functions)
            for file in files:
                exec(compile(source(file), "<kiln:%s>" % file, "exec", dont_inherit=True), scope)
            _scopes[files] = scope
        scope[entry](module)

    return seen


def _threading(module: object) -> None:
    """The interpreter calls threading._shutdown when the program's own code is over."""
    module._shutdown = hook(module._shutdown, None, lambda *_: mark_exit(), False)


def _at_exit() -> object:
    """Where threading is never imported: a module object of our own, so that sys.modules stays as it was."""
    import sys

    class Spec:
        name = "atexit"
        origin = "built-in"

    imp = sys.modules["_imp"]
    module = imp.create_builtin(Spec)
    imp.exec_builtin(module)
    module.register(mark_exit)
    return module


def _is_set(name: bytes) -> bool:
    import sys

    return bool(sys.modules["posix"].environ.get(name))


def _both(first: object, second: object) -> object:
    """A watcher that calls both, the second in any case."""

    def seen(module: object) -> None:
        try:
            first(module)
        finally:
            second(module)

    return seen


def _add_levers(watch: dict) -> None:
    """Levers (docs/levers.md) come first: what observes sees the program as it is with them."""
    scope = dict(_functions)
    exec(compile(source("lever"), "<kiln:lever>", "exec", dont_inherit=True), scope)
    for name, watcher in scope["watchers"]().items():
        watch[name] = _both(watcher, watch[name]) if name in watch else watcher


_scopes = {}
_functions = {name: value for name, value in globals().items() if not name.startswith("_")}
_functions["__builtins__"] = __builtins__
_warp = ("warp", "warp_declare", "warp_build", "warp_load", "warp_graph", "warp_ask")
_watch = {}
if _is_set(b"KILN_EVENTS"):
    _watch["threading"] = _threading
    for _name in ("context", "build", "tape"):
        _watch["warp._src." + _name] = _watch["warp." + _name] = _adapter(_warp, "see_" + _name)
    try:
        _exit_module = _at_exit()
    except Exception as _error:
        emit("error", {"hook": "atexit", "message": str(_error)})
if _is_set(b"KILN_LEVERS"):
    _add_levers(_watch)
import_hook(_watch)
