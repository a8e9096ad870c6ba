"""Levers, part 11: how much may be built at once. Runs in the namespace of lever.py."""

from __future__ import annotations

import os
from typing import Iterator, Optional

CONTROL = "/sys/fs/cgroup"
NEED = 1 << 30  # bytes of memory that one build may take


def read_text(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def groups(controller: str) -> Iterator[str]:
    """Folders of this process's control groups, leaf first: version 2, then those of one controller of version 1."""
    for line in read_text("/proc/self/cgroup").splitlines():
        number, names, path = (line.split(":", 2) + ["", ""])[:3]
        root = CONTROL if number == "0" else os.path.join(CONTROL, controller)
        if number != "0" and controller not in names.split(","):
            continue
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts), -1, -1):
            yield os.path.join(root, *parts[:depth])


def number_in(text: str) -> Optional[int]:
    word = text.split()[0] if text.split() else ""
    return int(word) if word.isdigit() else None


def usable_cores() -> int:
    """Of the affinity, and no more than a quota of processor time pays for."""
    cores = len(os.sched_getaffinity(0))
    for folder in groups("cpu"):
        quota, _, period = read_text(os.path.join(folder, "cpu.max")).partition(" ")
        if not quota:
            quota = read_text(os.path.join(folder, "cpu.cfs_quota_us"))
            period = read_text(os.path.join(folder, "cpu.cfs_period_us"))
        allowed, each = number_in(quota), number_in(period)
        if allowed and each:
            cores = min(cores, max(1, -(-allowed // each)))
    return cores


def free_memory() -> int:
    """What is left of the machine and of each control group."""
    free = 1 << 62
    for line in read_text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = (number_in(line.split(":")[1]) or 0) << 10
    for folder in groups("memory"):
        for most, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            limit, taken = (number_in(read_text(os.path.join(folder, name))) for name in (most, used))
            if limit is not None and taken is not None and limit < 1 << 60:
                free = min(free, max(0, limit - taken))
    return free


def default_jobs() -> int:
    """One for each core: the program's is free whenever it waits for a build. All but the dearest build are nice, so a
    program that does not wait loses little."""
    return max(1, min(usable_cores(), free_memory() // NEED))
