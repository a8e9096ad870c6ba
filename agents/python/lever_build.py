"""Levers, part 5: around each build of a module in this process. Runs in the namespace of lever.py.

Before the framework's compiler function decides whether there is something to build: check the options, bring in what
is in a read-only cache, and wait for whoever builds the same. Afterwards say what arrived.
"""

from __future__ import annotations

import os
from typing import Any, Optional

OLDEST = (1, 12)  # from here on the compiler function itself looks for an artefact


def options_of(args: tuple, kwargs: Any) -> dict:
    return argument(args, kwargs, 6, "options") or args[0].options


def kind_of(args: tuple, kwargs: Any) -> str:
    """ "cpu", or "cuda" with the architecture where it is known."""
    device, arch = argument(args, kwargs, 1, "device"), argument(args, kwargs, 4, "output_arch")
    if arch is None and (device is None or device.is_cpu):
        return "cpu"
    return "cuda%s" % ("" if arch is None else arch)


def identity_of(module: Any, block_dim: Any) -> Optional[str]:
    """Hash of the module as it is now; the framework computes it anyway, and keeps it."""
    hasher = module.hashers.get(block_dim)
    if hasher is None:
        return module.get_module_hash(block_dim).hex()
    return (getattr(hasher, "get_hash", None) or hasher.get_module_hash)().hex()


def folder_of(args: tuple, kwargs: Any, identity: str) -> str:
    folder, module = argument(args, kwargs, 2, "output_dir"), args[0]
    if folder is not None:
        return os.fspath(folder)
    name = "wp_" + module.name
    if not module.options.get("strip_hash"):
        name += "_" + identity[:7]
    return os.path.join(str(config.kernel_cache_dir), name)


def artefact_is_there(folder: str, name: Optional[str], kind: str) -> bool:
    """As the framework looks for it; without a name any artefact of this kind counts."""
    try:
        files = os.listdir(folder)
    except OSError:
        return False
    if not any(file.endswith(".meta") for file in files):
        return False
    if name is not None:
        return name in files
    return any(file.endswith(".o") if kind == "cpu" else ".sm%s" % kind[4:] in file for file in files)


class Build:
    """One call of the compiler function."""

    def __init__(self, args: tuple, kwargs: Any) -> None:
        self.module = args[0]
        self.options = options_of(args, kwargs)
        self.block_dim = self.options.get("block_dim")
        self.kind = kind_of(args, kwargs)
        self.identity = identity_of(self.module, self.block_dim)
        self.folder = folder_of(args, kwargs, self.identity)
        self.name = argument(args, kwargs, 3, "output_name")
        self.lock: Optional[int] = None

    def is_there(self) -> bool:
        return artefact_is_there(self.folder, self.name, self.kind)

    def lock_path(self, lever: str) -> str:
        folder = os.path.realpath(self.folder)
        return lock_path(lever, "module", folder, self.identity, self.block_dim, self.kind)


def locking_lever() -> Optional[str]:
    if "one_build" in levers:
        return "one_build"
    if by_processes():
        return "prebuild"
    return "lto_ahead" if "lto_ahead" in levers else None


def take_lock(work: Build) -> None:
    lever = locking_lever()
    if lever is None or role == "task" or work.options.get("verify_autograd_array_access"):
        return
    work.lock = lock_wait(work.lock_path(lever), work.is_there)
    if "one_build" in levers:
        say("one_build", "applied")


def compile_begin(args: tuple, kwargs: Any) -> Optional[Build]:
    if role == "program":
        if "options" in features:
            check_options(args[0], options_of(args, kwargs))
        if "keep" in features:
            check_cache_folder(args[0])
    if not features & {"read", "lock", "ahead"}:
        return None
    work = None
    try:
        work = Build(args, kwargs)
        if "read" in features and not work.is_there():
            bring_module(work)
        if "lock" in features and not work.is_there():
            if "ahead" in features and role == "program":
                before_first_build(work)
            take_lock(work)
    except Exception as error:
        say(next(iter(levers)), "failed", args[0].name, reason(error))
    return work


def compile_end(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if note is None:
        return
    lock_free(note.lock)
    if "ahead" in features and role == "program" and not failed:
        say_arrival(note, bool(result))


features: set[str] = set()
compilers: list[Any] = []  # the framework's compiler function with these hooks and without those of who observes


def find_features() -> None:
    if any(lever in OPTIONS for lever in levers):
        features.add("options")
    if "persistent_cache" in levers:
        features.add("keep")
    if "readonly_cache" in levers:
        features.add("read")
    if locking_lever() is not None:
        features.add("lock")
    if any_of("prebuild", "lto_ahead"):
        features.add("ahead")


def patch_context() -> None:
    find_features()
    if "lock" in features and version() < OLDEST:
        say(locking_lever(), "failed", None, "it needs Warp %d.%d, this is %s" % (*OLDEST, config.version))
        features.difference_update(("lock", "ahead", "read"))
    if "options" in features:
        if any(not hasattr(config, OPTIONS[lever]) for lever in set_here):
            patch(context.Module, "__init__", None, put_module_options)
    if features:
        name = "_compile" if "_compile" in vars(context.Module) else "compile"
        patch(context.Module, name, compile_begin, compile_end)
        compilers.append(vars(context.Module)[name])
