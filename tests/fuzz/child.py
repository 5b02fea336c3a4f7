"""Tries inputs from stdin and says on stdout what became of each: `python -m tests.fuzz.child TARGET`."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import struct
import time
import traceback
from contextlib import suppress
from typing import BinaryIO

from ark_tui.domain.errors import ArkError
from tests.fuzz import interfaces, targets

ROOM = 16 << 30  # bytes of address space: more than that is not to be had from one input


def tried(target: targets.Target, data: bytes) -> dict[str, object]:
    """One input: what was wrong, how long it took, by how much the process has grown."""
    before = _used()
    fault = ""
    try:
        target(data)
    except ArkError as refused:
        fault = "" if refused.what else "refused without a word"
    except BaseException:  # noqa: BLE001 - a panic of native code is none of `Exception`
        fault = traceback.format_exc()
    after = _used()
    seconds, grown = (
        sum(after[number][at] - before[number][at] for number in before.keys() & after.keys())
        for at in (0, 1)
    )
    return {"fault": fault, "seconds": seconds, "grown": grown}


def _used() -> dict[str, tuple[float, int]]:
    """Seconds of the processor and the most memory, in bytes, of this process and of the servers.

    What a process needs to start is not the input's: one that was not there before does not count.
    """
    found = {"self": (time.process_time(), _peak("self"))}
    for number in interfaces.servers():
        with suppress(OSError):
            found[str(number)] = (_seconds(number), _peak(str(number)))
    return found


def _seconds(process: int) -> float:
    with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123
        user, system = file.read().rpartition(b")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _peak(process: str) -> int:
    """`VmHWM`: `ru_maxrss` begins with a parent's. A process that has ended has none."""
    with open(f"/proc/{process}/status") as file:  # noqa: PTH123
        return next((int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")), 0)


def main() -> None:
    given, said = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what anybody prints is no answer
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    known: dict[bytes, targets.Target] = {}
    while head := given.read(8):
        name, data = (_read(given, length) for length in struct.unpack(">II", head))
        if name not in known:
            known[name] = targets.TARGETS[name.decode()].run
            tried(known[name], b"a")  # so that no input pays for the imports
        said.write(b"\n")  # it begins
        said.flush()
        said.write(json.dumps(tried(known[name], data)).encode() + b"\n")
        said.flush()


def _read(given: BinaryIO, length: int) -> bytes:
    data = given.read(length)
    assert len(data) == length
    return data


if __name__ == "__main__":
    try:
        main()
    finally:  # also where whoever watched is no more
        for server in interfaces.servers():
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
