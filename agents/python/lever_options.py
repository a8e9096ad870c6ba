"""Levers, part 2: options of the entry point. Runs in the namespace of lever.py."""

from __future__ import annotations

import sys
from typing import Any

set_here: dict[str, Any] = {}  # lever -> value that is in effect


def is_value(lever: str, value: Any) -> bool:
    if lever in ("max_unroll", "optimization_level"):
        return type(value) is int and 0 <= value <= (3 if lever == "optimization_level" else 1 << 20)
    return type(value) is bool


def set_options() -> None:
    """The configuration exists, and no module of the framework does."""
    for lever, name in OPTIONS.items():
        if lever not in levers:
            continue
        value = levers[lever].get("value")
        if not is_value(lever, value):
            say(lever, "failed", None, "its value cannot be %r" % (value,))
        elif hasattr(config, name):
            setattr(config, name, value)
            set_here[lever] = value
        elif lever == "fast_math":
            set_here[lever] = value  # no setting of the whole program: put_module_options sets it
        else:
            say(lever, "failed", None, "Warp %s has no option %s" % (config.version, name))


def put_module_options(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """After Module.__init__: options that the configuration does not have."""
    for lever in set_here:
        if not failed and not hasattr(config, OPTIONS[lever]):
            args[0].options[OPTIONS[lever]] = set_here[lever]


def check_options(module: Any, options: dict) -> None:
    """Is this what the module is about to be built with?"""
    for lever, value in set_here.items():
        name = OPTIONS[lever]
        actual = options.get(name)
        if actual is None:
            actual = getattr(config, name, None)
        if actual == value:
            say(lever, "applied", module.name)
        else:
            say(lever, "missed", module.name, "the program has set %s to %r itself" % (name, actual))


def tape_ran(args: tuple, kwargs: Any) -> None:
    say("enable_backward", "failed", None, "the program differentiates: without backward code its gradients are wrong")


def patch_tape() -> None:
    tape = sys.modules.get("warp._src.tape") or sys.modules["warp.tape"]
    patch(tape.Tape, "backward", tape_ran, None)
