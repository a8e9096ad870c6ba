"""Levers, part 3: one builder at a time. Runs in the namespace of lever.py.

A lock is a file that its owner has locked (flock) and removes when it is done. It saves work and nothing depends on it:
whoever cannot have it, or does not see its owner work for 10 s, builds for itself.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from typing import Any, Callable, Optional

IDLE_S = 10.0  # an owner without progress for so long is not waited for
STEP_S = 0.01

held: dict[int, str] = {}  # descriptor -> path of the locks of this process


def digest_of(*parts: Any) -> str:
    return hashlib.blake2b("\0".join(str(part) for part in parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def lock_path(lever: str, *parts: Any) -> str:
    """Of this host only: other hosts may share the folder, and their owners cannot be seen from here."""
    return os.path.join(state_folder(lever, "locks"), digest_of(boot_id(), *parts))


def lock_try(path: str) -> Optional[int]:
    """Descriptor that holds the lock; None when somebody else does."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            own, there = os.fstat(fd), os.lstat(path)
            if (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino):
                os.ftruncate(fd, 0)
                os.pwrite(fd, b"%d" % os.getpid(), 0)
                held[fd] = path
                return fd
        except FileNotFoundError:
            pass  # its owner has just removed it
        except BlockingIOError:
            os.close(fd)
            return None
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def lock_free(fd: Optional[int]) -> None:
    """Unlocked by name, because a child that was forked meanwhile has the descriptor too."""
    path = held.pop(fd, None) if fd is not None else None
    if path is None:
        return
    try:
        os.unlink(path)
    except OSError:
        pass
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


def locks_forget() -> None:
    """In a forked child: the locks are the parent's."""
    for fd in held:
        os.close(fd)
    held.clear()


def locks_sweep(lever: str, pids: set) -> None:
    """Remove what killed owners left: these, and whoever left it a day ago. Never a lock that somebody holds."""
    root = state_folder(lever, "locks")
    for name in os.listdir(root):
        path = os.path.join(root, name)
        try:
            old = time.time() - os.lstat(path).st_mtime > 86400.0
            if old or owner_of(path) in pids:
                lock_free(lock_try(path))
        except OSError:
            pass


def ticks_of(pid: int) -> int:
    """CPU time of a process, 0 for one that is not there."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return int(fields[11]) + int(fields[12]) + 1
    except (OSError, ValueError, IndexError):
        return 0


def owner_of(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return int(file.read(32) or b"0")
    except (OSError, ValueError):
        return 0


def lock_wait(path: str, is_done: Callable[[], bool]) -> Optional[int]:
    """Wait for the lock, or until the work is done. None: it is done, or its owner is not worth waiting for."""
    seen, since = (0, 0), time.monotonic()
    while True:
        fd = lock_try(path)
        if fd is not None or is_done():
            return fd
        pid = owner_of(path)
        progress = (pid, ticks_of(pid) if pid else 0)
        if progress != seen:
            seen, since = progress, time.monotonic()
        elif time.monotonic() - since > IDLE_S:
            return None
        time.sleep(STEP_S)
