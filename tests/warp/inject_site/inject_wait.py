"""A busy wait of 300 ms of this thread's CPU time, put into the phase that KILN_INJECT names, once per process."""

import os
import time

PHASE = os.environ.get("KILN_INJECT", "none")
SECONDS = 0.3
_armed = True


def wait(phase: str) -> None:
    """Burn the time if this is the phase, and only the first time."""
    global _armed
    if phase != PHASE or not _armed:
        return
    _armed = False
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        pass


def before(owner: object, name: str, phase: str) -> None:
    """Replace owner.name by a function that waits first and then does the same."""
    inner = getattr(owner, name)

    def outer(*given: object, **named: object) -> object:
        wait(phase)
        return inner(*given, **named)

    setattr(owner, name, outer)
