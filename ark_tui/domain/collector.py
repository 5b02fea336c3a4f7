"""Python's collector of unreachable cycles, kept away from the start.

While modules are imported and the screen is made, nearly everything that comes into being stays, and each
full look at all of it costs tens of milliseconds before the first frame, in which no thread runs.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 10_000
"""New objects after which those are looked at; Python's own 700 are reached many times with each key."""

BULK = 1_000_000
"""The same while much comes in that stays for a while: each look would be at all of it, for nothing."""


def wait() -> None:
    """Look at nothing until `go_on`."""
    gc.disable()


def go_on(after: int = YOUNG) -> None:
    """Look again, at what comes from now on, `after` so much: what is there now stays until the end.

    Without `wait` before it, in a process that is somebody else's, nothing is changed.
    """
    if not gc.isenabled():
        gc.freeze()
        atexit.register(gc.unfreeze)  # or native modules say at the end that their types were leaked
        gc.set_threshold(after)  # the hits of a key are thousands of objects, all but a few soon gone again
        gc.enable()


@contextmanager
def seldom() -> Iterator[None]:
    """Look more seldom, in whatever process, while things come by the hundred thousand."""
    before = gc.get_threshold()
    gc.set_threshold(max(BULK, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
