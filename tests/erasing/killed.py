"""Runs one command and ends like `kill -9` at its nth access to the disk.

`python -m tests.erasing.killed N HOME COMMAND …`. Counted are locks that are taken or given back, files that
are opened to be written, renamed or removed, as Python's audit events tell of them. It exits with 137 where
it was killed; a command that came to its end before exits as ever.
"""

from __future__ import annotations

import os
import sys

from ark_tui.interfaces.cli import main

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "fcntl.flock", "shutil.rmtree"}


def arm(last: int) -> None:
    """End this process at an access from now on."""
    count = 0

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        opened = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES
        if opened or event in CHANGES:
            count += 1
            if count == last:
                os._exit(137)

    sys.addaudithook(heard)


if __name__ == "__main__":
    arm(int(sys.argv[1]))
    sys.argv = ["ark-tui", "--home", *sys.argv[2:]]
    main()
