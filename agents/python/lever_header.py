"""Levers, part 4: one precompiled header for all processes and threads (CPU). Runs in the namespace of lever.py.

The framework's compiler takes the header from the folder that it is given, and makes it there when it is missing. So a
good header's folder is handed over; a missing one is made in a private folder, under a lock, and published with one
rename. Nothing here is needed for a right result: at worst a process makes its own header, as always.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from typing import Any, Optional

SUM = "sum.json"
ROOM = 64 << 20  # bytes that must be free before a header is made
OLD_S = 30 * 86400.0
NO_PART = ("pch_dir", "use_precompiled_headers", "verbose")

good: dict[str, tuple] = {}  # folder -> what its header looked like when its checksum was right
processor: list[str] = []


def processor_of() -> str:
    """The header holds code for this kind of processor."""
    if not processor:
        lines = []
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.strip():
                    break
                if line.split(":")[0].strip() in ("model name", "flags", "Features", "CPU part", "CPU implementer"):
                    lines.append(line)
        processor.append(digest_of(*lines))
    return processor[0]


def file_mark(path: str) -> tuple:
    try:
        info = os.stat(path)
    except OSError:
        return ()
    return (info.st_size, info.st_mtime_ns)


def header_key(args: tuple, kwargs: dict) -> str:
    home = os.path.dirname(os.path.realpath(sys.modules["warp"].__file__))
    files = [os.path.join(home, "native", "builtin.h"), os.path.join(home, "bin", "warp-clang.so")]
    options = sorted((name, repr(value)) for name, value in kwargs.items() if name not in NO_PART)
    return digest_of(config.version, home, *map(file_mark, files), processor_of(), args[2:], options)


def find_header(folder: str) -> Optional[str]:
    names = [name for name in os.listdir(folder) if name.endswith(".pch")]
    return os.path.join(folder, names[0]) if len(names) == 1 else None


def digest_file(path: str) -> str:
    from hashlib import blake2b

    with open(path, "rb") as file:
        return blake2b(file.read(), digest_size=32).hexdigest()


def header_mark(path: str) -> tuple:
    info = os.lstat(path)
    if not is_own(info, True) or (info.st_mode & 0o170000) != 0o100000:
        raise PermissionError("%s is no regular file of this user that only its owner writes" % path)
    return (info.st_ino, info.st_size, info.st_mtime_ns)


def header_is_good(folder: str) -> bool:
    """Its content is what its maker had: read once in a process, unless it changes."""
    try:
        header = find_header(folder)
        if header is None or not is_own(os.lstat(folder), True) or os.path.islink(folder):
            return False
        mark = header_mark(header)
        if good.get(folder) == mark:
            return True
        header_mark(os.path.join(folder, SUM))
        with open(os.path.join(folder, SUM), encoding="utf-8") as file:
            total = json.load(file)
        if total != {"name": os.path.basename(header), "digest": digest_file(header)}:
            return False
        good[folder] = mark
        return True
    except (OSError, ValueError):
        return False


def remove_tree(path: str) -> None:
    try:
        os.chmod(path, 0o700)
    except OSError:
        pass
    shutil.rmtree(path, ignore_errors=True)


def sweep_headers(root: str) -> None:
    """What nobody has used for long, and what killed makers left."""
    for name in os.listdir(root):
        path = os.path.join(root, name)
        try:
            age = time.time() - os.lstat(path).st_mtime
        except OSError:
            continue
        if age > (3600.0 if name.startswith("make-") else OLD_S):
            remove_tree(path)


def publish_header(made: str, folder: str) -> bool:
    """One rename makes it visible, with its checksum. The maker has the lock."""
    header = find_header(made)
    if header is None:
        return False
    with open(os.path.join(made, SUM), "w", encoding="utf-8") as file:
        json.dump({"name": os.path.basename(header), "digest": digest_file(header)}, file)
    for path in (header, os.path.join(made, SUM)):
        os.chmod(path, 0o400)
    if os.path.lexists(folder):
        aside = "%s.bad-%d" % (made, os.getpid())
        os.rename(folder, aside)
        remove_tree(aside)
    os.chmod(made, 0o500)  # so that the compiler cannot remove it when a kernel does not compile
    os.rename(made, folder)
    return True


def use_header(kwargs: dict, folder: str) -> None:
    kwargs["pch_dir"] = folder
    say("shared_pch", "applied", None, "used")
    try:
        if time.time() - os.lstat(folder).st_mtime > 86400.0:
            os.utime(folder)
    except OSError:
        pass


def make_header(kwargs: dict, root: str, folder: str, fd: int) -> Optional[tuple]:
    from tempfile import mkdtemp

    free = os.statvfs(root)
    if free.f_bavail * free.f_frsize < ROOM:
        lock_free(fd)
        say("shared_pch", "failed", None, "%s has no room for a header" % root)
        return None
    kwargs["pch_dir"] = mkdtemp(prefix="make-", dir=root)
    return (kwargs["pch_dir"], folder, fd)


def header_lever() -> str:
    return "shared_pch" if "shared_pch" in levers else "prebuild"


def header_begin(args: tuple, kwargs: Any) -> Optional[tuple]:
    """Before build_cpu: its keyword arguments are ours to change."""
    if not kwargs or not kwargs.get("pch_dir") or not kwargs.get("use_precompiled_headers"):
        return None
    fd = None
    try:
        root = state_folder(header_lever(), "headers")
        folder = os.path.join(root, header_key(args, kwargs))
        if not header_is_good(folder):
            fd = lock_wait(lock_path(header_lever(), "header", folder), lambda: header_is_good(folder))
        if header_is_good(folder):
            use_header(kwargs, folder)
        elif fd is not None:
            note, fd = make_header(kwargs, root, folder, fd), None
            return note
    except Exception as error:
        say("shared_pch", "failed", None, reason(error))
    finally:
        lock_free(fd)
    return None


def header_end(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if note is None:
        return
    made, folder, fd = note
    try:
        if publish_header(made, folder):
            say("shared_pch", "applied", None, "built")
            sweep_headers(os.path.dirname(folder))
        else:
            say("shared_pch", "failed", None, "the compiler made no header")
    except OSError as error:
        say("shared_pch", "failed", None, reason(error))
    finally:
        remove_tree(made)
        lock_free(fd)


def patch_headers() -> None:
    if version() >= (1, 13):
        patch(build, "build_cpu", header_begin, header_end)
    elif "shared_pch" in levers:
        say("shared_pch", "failed", None, "Warp %s has no precompiled header for the CPU" % config.version)
