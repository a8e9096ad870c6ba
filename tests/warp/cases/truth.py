"""What a case knows about itself: how many kernels it launched, counted beside each launch and never by kiln.

The count is appended to the file named by KILN_TRUTH, so that several processes (and a cold and a warm run) add up.
"""

import os

_launches = 0


def add(count: int = 1) -> None:
    """Called beside every launch (and every replay, and every backward pass of a launch)."""
    global _launches
    _launches += count


def reset() -> None:
    """Called first in a forked child, which would otherwise report its parent's launches again."""
    global _launches
    _launches = 0


def write() -> None:
    """Called once at the end of every process that launches; explicit, because some cases end by os._exit."""
    name = os.environ.get("KILN_TRUTH")
    if name:
        with open(name, "a") as file:
            file.write(f"{_launches}\n")
    print(f"launches={_launches}", flush=True)
