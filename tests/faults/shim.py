"""The fault layer: `shim.c` compiled and loaded. What it does is said there."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from enum import IntEnum
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")
MISSING = (
    "The fault layer wants Linux, a C compiler and a system that lets a process filter its own system calls."
)


class Kind(IntEnum):
    """What happens at the Nth call that writes below the folder; the last three at every one from then on."""

    COUNT = 0
    ENOSPC = 1
    EIO = 2
    EINTR = 3
    SHORT = 4  # half of a write
    KILL = 5  # before the call
    TORN = 6  # half of a write, or the whole of any other call, then killed
    CUT = 7  # killed, and what was not synced is lost: see `trial.cut_power`
    FULL = 8  # a disk that stays full
    BROKEN = 9  # every call fails
    INODES = 10  # nothing new can be made; what is there can be written


DEADLY = {Kind.KILL, Kind.TORN, Kind.CUT}
WRITES = {"write", "pwrite", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range"}
MAKES = {"open", "mkdir", "link", "symlink"}
CONCERNS = {
    Kind.ENOSPC: WRITES | MAKES | {"fsync", "fdatasync", "fallocate"},
    Kind.EINTR: WRITES | {"fsync", "fdatasync", "open"},
    Kind.SHORT: WRITES,
    Kind.FULL: WRITES | MAKES | {"fsync", "fdatasync", "fallocate"},
    Kind.INODES: MAKES,
}
"""The calls that a kind of fault can hit, where it is not every one."""


class Shim:
    """One piece of shared memory: made before forking, armed in a child, read by the parent."""

    def __init__(self, library: Path) -> None:
        self._c = ctypes.CDLL(str(library))
        self._c.prepare.restype = ctypes.c_void_p
        self._c.what.restype = ctypes.c_char_p
        if not self._c.prepare():
            raise OSError(MISSING)

    def aim(self, folder: Path, kind: Kind, at: int, shadow: Path | None = None, only: str = "") -> None:
        """What is to happen, at which call, below which folder; counts from zero again.

        `only`: what a call that counts has in its name or path.
        """
        self._c.aim(os.fsencode(folder), os.fsencode(shadow or ""), int(kind), at, only.encode())

    def arm(self) -> None:
        """From now on, for this process with all its threads, and for ever."""
        if error := self._c.arm():
            raise OSError(error, MISSING)

    @property
    def calls(self) -> int:
        return int(self._c.calls())

    @property
    def hits(self) -> int:
        return int(self._c.hits())

    def what(self, call: int) -> str:
        """The name and the path of a call, from 1."""
        found: bytes = self._c.what(call)
        return found.decode("utf-8", "replace")


def compiled(folder: Path) -> Path | None:
    """The library, built in a folder; None where that cannot be."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        return None
    library = folder / "shim.so"
    built = subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", library, SOURCE], capture_output=True, check=False
    )
    return library if built.returncode == 0 and _works(library) else None


def _works(library: Path) -> bool:
    child = os.fork()
    if not child:
        try:
            Shim(library).arm()
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0
