"""A parser with every flaw, to see that they are seen."""

from __future__ import annotations

import os
import signal

GROWS = 96 << 20
"""Bytes that it takes."""


def take(data: bytes) -> None:
    """Crash, hang, fail or grow, as the input says."""
    if b"raise" in data:
        raise KeyError(data)
    if b"die" in data:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"grow" in data:
        bytearray(GROWS)[:: 1 << 12] = b"x" * (GROWS >> 12)
    while b"hang" in data:
        pass
