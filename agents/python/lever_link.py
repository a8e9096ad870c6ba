"""Levers, part 7: link-time objects. Runs in the namespace of lever.py."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

FUNCTIONS = ("build_lto_dot", "build_lto_fft", "build_lto_solver")


def link_key(symbol: str) -> str:
    return build.hash_symbol(symbol)[: getattr(build, "LTO_CACHE_KEY_LENGTH", 7)]


def link_lock(symbol: str) -> str:
    return lock_path(locking_lever(), "link", os.path.realpath(build.get_lto_cache_dir()), symbol)


def link_begin(args: tuple, kwargs: Any) -> Optional[tuple]:
    """Before _build_lto_base: bring it, or wait for whoever builds it."""
    symbol, fd = argument(args, kwargs, 0, "lto_symbol"), None
    folder, key = build.get_lto_cache_dir(), link_key(symbol)
    path = os.path.join(folder, key + ".lto")
    try:
        if "readonly_cache" in levers and not os.path.exists(path):
            bring_link(folder, key)
        if locking_lever() is not None and not building_links and not os.path.exists(path):
            fd = lock_wait(link_lock(symbol), lambda: os.path.exists(path))
    except Exception as error:
        say("lto_ahead" if "lto_ahead" in levers else "one_build", "failed", None, reason(error))
    return (symbol, os.path.exists(path), fd)


def link_end(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if note is None:
        return
    symbol, was_there, fd = note
    lock_free(fd)
    made = not failed and bool(result[0])  # a variant that the library refused is followed by another one
    if "lto_ahead" in levers and made and not building_links:
        if was_there:
            say("lto_ahead", "applied", symbol)
        elif symbol in recorded_links():
            say("lto_ahead", "missed", symbol, "the program built it itself")
        else:
            say("lto_ahead", "missed", symbol, "it was not recorded")


building_links: list[bool] = []  # this process builds them ahead


def recorded_links() -> set:
    return {call.get("symbol") for call in levers["lto_ahead"].get("calls") or () if isinstance(call, dict)}


class Parts:
    """What the framework's functions put their results into."""

    def __init__(self) -> None:
        self.ltoirs: dict = {}
        self.ltoirs_decl: dict = {}
        self.shared_memory_bytes: dict = {}
        self.fatbins: dict = {}


def value_of(value: Any) -> Any:
    """A recorded argument: "warp.float16" is that type, "(True, False)" a tuple; any other text is text."""
    if isinstance(value, list):
        return tuple(value_of(item) for item in value)
    if not isinstance(value, str):
        return value
    if value.startswith("warp."):
        return getattr(sys.modules["warp"], value[5:])
    if value.startswith("("):
        from ast import literal_eval

        try:
            return literal_eval(value)
        except (ValueError, SyntaxError):
            pass
    return value


def build_link(call: dict) -> Optional[str]:
    """In a process of its own: build the object of one recorded call. Its file; None when somebody else is at it."""
    building_links.append(True)
    name, recorded, symbol = call.get("function"), call.get("arguments"), call.get("symbol")
    if name not in FUNCTIONS or not isinstance(recorded, dict) or not isinstance(symbol, str):
        raise ValueError("%r is no recorded call" % (name,))
    arguments = {key: value_of(value) for key, value in recorded.items() if key != "builder"}
    fd = lock_try(link_lock(symbol))
    if fd is None:
        return None
    try:
        getattr(build, name)(builder=Parts(), **arguments)
    finally:
        lock_free(fd)
    return os.path.join(build.get_lto_cache_dir(), link_key(symbol) + ".lto")


def patch_link_builds() -> None:
    if not patch(build, "_build_lto_base", link_begin, link_end) and "lto_ahead" in levers:
        say("lto_ahead", "failed", None, "Warp %s has no link-time objects" % config.version)
