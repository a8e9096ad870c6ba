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


_scopes = {}
_functions = {name: value for name, value in globals().items() if not name.startswith("_")}
_functions["__builtins__"] = __builtins__
_warp = ("warp", "warp_declare", "warp_build", "warp_load", "warp_graph")
_watch = {"threading": _threading}
for _name in ("context", "build", "tape"):
    _watch["warp._src." + _name] = _watch["warp." + _name] = _adapter(_warp, "see_" + _name)
import_hook(_watch)
try:
    _exit_module = _at_exit()
except Exception as _error:
    emit("error", {"hook": "atexit", "message": str(_error)})
