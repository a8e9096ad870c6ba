"""Levers, part 1: reads the lever file (docs/levers.md), says what becomes of levers, and loads the parts that they need.

Runs only where KILN_LEVERS is set, in a namespace of its own with the agent's functions (agents/preload/boot.c). The
first lines run before `site`: nothing is imported here but by functions. Levers change what they say and nothing else;
one that cannot be applied leaves the program as it was and writes an event.
"""

SCHEMA = "kiln-levers-1"
MOST_BYTES = 16 << 20
OPTIONS = {  # lever -> name in the framework's configuration or among a module's options
    "enable_backward": "enable_backward",
    "max_unroll": "max_unroll",
    "enable_mathdx_gemm": "enable_mathdx_gemm",
    "enable_mathdx_fft": "enable_mathdx_fft",
    "enable_mathdx_solver": "enable_mathdx_solver",
    "fast_math": "fast_math",
    "optimization_level": "optimization_level",
    "pch": "use_precompiled_headers",
}
OTHERS = ("shared_pch", "one_build", "prebuild", "lto_ahead", "persistent_cache", "readonly_cache")

levers: dict = {}  # id -> its object in the lever file
file_digest = ""  # of the lever file
begun: list = []  # true once the file was read
role = "program"  # "builder": builds ahead for a program; "task": one build of it
said: set = set()
seen_modules: dict = {}
warp: object = None  # modules of the framework, as they are imported
context: object = None
build: object = None
config: object = None


def say(lever: str, state: str, module: object = None, detail: object = None) -> None:
    """Write a `lever` event, each once in this process."""
    key = (lever, state, module, detail)
    if key in said:
        return
    said.add(key)
    fields = {"id": lever, "state": state}
    if module is not None:
        fields["module"] = module
    if detail is not None:
        fields["detail"] = detail
    emit("lever", fields)


def reason(error: object) -> str:
    return "%s: %s" % (type(error).__name__, error)


def guarded(lever: str, function: object, *args: object) -> object:
    """Call a part; what it raises is said, and the program goes on."""
    try:
        return function(*args)
    except Exception as error:
        say(lever, "failed", None, reason(error))
    return None


# ---- the file ------------------------------------------------------------------------------------------------------


def is_own(info: object, strict: bool) -> bool:
    """Belongs to this user or (not strict) to root, and nobody else may write it."""
    import os

    return info.st_uid in ((os.geteuid(),) if strict else (os.geteuid(), 0)) and not info.st_mode & 0o022


def read_file(path: str) -> bytes:
    import os
    import stat

    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or not is_own(info, False):
            raise PermissionError("%s is no regular file of this user that only its owner writes" % path)
        if info.st_size > MOST_BYTES:
            raise ValueError("%s has %d bytes, at most %d are read" % (path, info.st_size, MOST_BYTES))
        data = b""
        while len(data) < info.st_size:
            part = os.read(descriptor, info.st_size - len(data))
            if not part:
                break
            data += part
        return data
    finally:
        os.close(descriptor)


def parse_levers(data: bytes) -> dict:
    import json

    document = json.loads(data.decode("utf-8"))
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ValueError("this is no lever file: its schema is not %s" % SCHEMA)
    found: dict = {}
    for item in document.get("levers") or ():
        name = item.get("id") if isinstance(item, dict) else None
        if name in OPTIONS or name in OTHERS:
            found.setdefault(name, item)
        else:
            say(str(name), "failed", None, "this kiln has no such lever")
    return found


def read_levers() -> None:
    global levers, file_digest
    import os
    from zlib import crc32

    path = os.environ.get("KILN_LEVERS", "")
    try:
        data = read_file(path)
        levers = parse_levers(data)
        file_digest = "%08x%x" % (crc32(data), len(data))
    except Exception as error:
        emit("error", {"hook": "levers", "message": "%s: %s" % (path, reason(error))})


# ---- the folder for what levers keep -------------------------------------------------------------------------------


def private_folder(path: str) -> str:
    """Make a folder that is only this user's, or refuse the one that is there."""
    import os
    import stat

    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    info = os.lstat(path)
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
        raise PermissionError("%s is no folder that belongs to this user alone" % path)
    return path


def state_folder(lever: str, name: str) -> str:
    import os

    root = levers.get(lever, {}).get("folder") or os.environ.get("KILN_LEVERS_STATE")
    if not root or not os.path.isabs(root):
        raise ValueError("no folder to keep anything in: KILN_LEVERS_STATE is not set")
    return private_folder(os.path.join(private_folder(root), name))


# ---- patching ------------------------------------------------------------------------------------------------------


def patch(owner: object, name: str, before: object, after: object) -> bool:
    original = vars(owner).get(name)
    if original is None:
        return False
    setattr(owner, name, hook(original, before, after, isinstance(owner, type)))
    return True


def argument(args: tuple, kwargs: object, index: int, name: str) -> object:
    if len(args) > index:
        return args[index]
    return kwargs.get(name) if kwargs else None


def is_shim(module: object) -> bool:
    """From 1.10 to 1.12 warp.context and others only repeat the names of warp._src.*; threads may come here at once."""
    import sys

    if not module.__name__.startswith("warp._src.") and "warp._src" in sys.modules:
        return True
    mark = object()
    return seen_modules.setdefault(module.__name__.rpartition(".")[2], mark) is not mark


def version() -> tuple:
    return tuple(int(part) for part in str(config.version).split(".")[:2] if part.isdigit())


# ---- moments -------------------------------------------------------------------------------------------------------


def load_parts(*names: str) -> None:
    for name in names:
        if name not in seen_modules:
            seen_modules[name] = True
            exec(compile(source(name), "<kiln:%s>" % name, "exec", dont_inherit=True), globals())


def by_processes() -> bool:
    return "prebuild" in levers and levers["prebuild"].get("how", "processes") == "processes"


def any_of(*names: str) -> bool:
    return any(name in levers for name in names)


def begin(module: object = None) -> None:
    """The entry of the program: start-up is over, nothing of the program has run."""
    if begun:
        return
    begun.append(True)
    read_levers()
    if "persistent_cache" in levers:
        load_parts("lever_cache")
        guarded("persistent_cache", keep_environment)
    if any_of("prebuild", "lto_ahead"):
        load_parts("lever_lock", "lever_limits", "lever_start")
        guarded("prebuild" if "prebuild" in levers else "lto_ahead", start_builder)


def begin_without_site(module: object) -> None:
    import sys

    if sys.flags.no_site:
        begin()


def see_config(module: object) -> None:
    global config
    begin()
    if config is None:
        config = module
        if any_of(*OPTIONS):
            load_parts("lever_options")
            set_options()


def see_context(module: object) -> None:
    """By now who observes has hooked the module of builds: waits for headers and objects are before what it sees."""
    global context
    if is_shim(module):
        return
    context = module
    if not levers:
        return
    load_parts("lever_lock", "lever_build")
    guarded(next(iter(levers)), patch_context)
    if "readonly_cache" in levers:
        load_parts("lever_cache")
    if "shared_pch" in levers or by_processes():
        load_parts("lever_header")
        guarded("shared_pch", patch_headers)
    if any_of("one_build", "prebuild", "lto_ahead", "readonly_cache"):
        load_parts("lever_link")
        guarded("lto_ahead", patch_link_builds)
    if any_of("prebuild", "lto_ahead"):
        load_parts("lever_ahead")
        guarded("prebuild", prepare_ahead)


def see_build(module: object) -> None:
    global build
    if is_shim(module):
        return
    build = module
    if any_of("persistent_cache", "readonly_cache"):
        load_parts("lever_cache")
        guarded("persistent_cache", patch_caches)


def see_tape(module: object) -> None:
    if not is_shim(module) and levers.get("enable_backward", {}).get("value") is False:
        load_parts("lever_options")
        guarded("enable_backward", patch_tape)


def watchers() -> dict:
    """What boot.py watches for: a module's name and what is called when it is loaded."""
    found = {"site": begin, "os": begin_without_site}
    for name, function in (("config", see_config), ("context", see_context), ("build", see_build), ("tape", see_tape)):
        found["warp._src." + name] = found["warp." + name] = function
    return found
