"""Levers, part 6: a cache that is kept, and one that is only read. Runs in the namespace of lever.py."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from typing import Any


def cache_folder(lever: str) -> str:
    folder = levers[lever].get("folder")
    if not isinstance(folder, str) or not os.path.isabs(folder):
        raise ValueError("its folder must be an absolute path, not %r" % (folder,))
    return folder


# ---- persistent_cache ----------------------------------------------------------------------------------------------


def keep_environment() -> None:
    folder = cache_folder("persistent_cache")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not is_own(os.stat(folder), False):
        raise PermissionError("%s does not belong to this user alone" % folder)
    os.environ["WARP_CACHE_PATH"] = folder
    os.environ["CUDA_CACHE_PATH"] = os.path.join(folder, "driver")
    os.environ.pop("CUDA_CACHE_DISABLE", None)


def kept_folder() -> str:
    return os.path.join(os.path.realpath(cache_folder("persistent_cache")), str(config.version))


def cache_placed(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """After init_kernel_cache, which the program may have given a folder of its own."""
    if not failed:
        os.makedirs(kept_folder(), exist_ok=True)
        config.kernel_cache_dir = kept_folder()


def check_cache_folder(module: Any) -> None:
    config.cache_kernels = True
    if os.path.realpath(str(config.kernel_cache_dir)) == kept_folder():
        say("persistent_cache", "applied")
    else:
        say("persistent_cache", "missed", module.name, "the program's cache is %s" % config.kernel_cache_dir)


def clear_kernel_cache() -> None:
    """Instead of the framework's: forget what is loaded, keep what is on disk."""
    context.init()
    for module in context.user_modules.values():
        module.unload()
    say("persistent_cache", "applied", None, "the program cleared its cache: nothing was removed")


def clear_lto_cache() -> None:
    context.init()


def keep_tree(path: Any, *args: Any, **kwargs: Any) -> Any:
    """Instead of shutil.rmtree: a program that removes its cache when it ends means one of its own."""
    try:
        is_kept = os.path.realpath(path) == kept_folder()
    except (TypeError, ValueError):
        is_kept = False
    if not is_kept:
        return trees[0](path, *args, **kwargs)
    say("persistent_cache", "applied", None, "the program removed its cache: nothing was removed")
    return None


trees: list[Any] = []  # shutil.rmtree as it was


def patch_removal() -> None:
    if not trees:
        trees.append(shutil.rmtree)
        shutil.rmtree = functools.update_wrapper(keep_tree, trees[0])


# ---- readonly_cache ------------------------------------------------------------------------------------------------


def checked(path: str) -> str:
    """What others can write is not loaded."""
    info = os.lstat(path)
    if not is_own(info, False) or info.st_mode & 0o170000 not in (0o100000, 0o040000):
        raise PermissionError("%s is not only its owner's" % path)
    return path


def copy_file(source: str, target: str) -> None:
    part = "%s.kiln-%d" % (target, os.getpid())
    try:
        shutil.copyfile(checked(source), part)
        os.replace(part, target)
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def source_folder(name: str) -> str:
    root = checked(cache_folder("readonly_cache"))
    inside = os.path.join(root, str(config.version))
    return os.path.join(checked(inside) if os.path.isdir(inside) else root, name)


def bring_module(work: Any) -> None:
    """Copy an artefact into the program's cache; the file that says it is complete comes last."""
    source = source_folder(os.path.basename(work.folder))
    if work.module.options.get("strip_hash") or not artefact_is_there(source, work.name, work.kind):
        return
    checked(source)
    os.makedirs(work.folder, exist_ok=True)
    for name in sorted(os.listdir(source), key=lambda file: (file.endswith(".meta"), file)):
        if not os.path.exists(os.path.join(work.folder, name)):
            copy_file(os.path.join(source, name), os.path.join(work.folder, name))
    say("readonly_cache", "applied", work.module.name)


def bring_link(folder: str, key: str) -> None:
    source = source_folder("lto")
    if not os.path.exists(os.path.join(source, key + ".lto")):
        return
    checked(source)
    os.makedirs(folder, exist_ok=True)
    for name in (key + ".meta", key + "_fatbin.lto", key + ".lto"):
        if os.path.exists(os.path.join(source, name)) and not os.path.exists(os.path.join(folder, name)):
            copy_file(os.path.join(source, name), os.path.join(folder, name))
    say("readonly_cache", "applied", None, key + ".lto")


def patch_caches() -> None:
    if "readonly_cache" in levers:
        cache_folder("readonly_cache")
    if "persistent_cache" in levers:
        keep_environment()  # the program may have changed it since its entry, and the driver starts after this
        patch_removal()
        patch(build, "init_kernel_cache", None, cache_placed)
        for name, function in (("clear_kernel_cache", clear_kernel_cache), ("clear_lto_cache", clear_lto_cache)):
            if hasattr(build, name):
                setattr(build, name, function)
