"""Small files in `locks` by which processes tell each other what is in the store, each with a checksum.

Whoever finds one missing or damaged asks the store instead, and writes it anew.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from ark_tui.settings.home import checked, read_checked, remove

PINS = "pins"
MODELS = "models"
OWNERS = "owners"
LEARNED = "learned"  # what is another once patterns or rules are, whatever the documents are
ALL = (PINS, MODELS, OWNERS, LEARNED)


def another() -> str:
    """What was never told before: those who remember what was told look again."""
    return f"{os.getpid():x}-{time.time_ns():x}"


def write(path: Path, text: str) -> None:
    """Write in place: others only `stat` it, and one that reads half of it sees that."""
    if path.is_dir():
        remove(path)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        data = checked(text.encode())
        os.pwrite(file, data, 0)
        os.ftruncate(file, len(data))
    finally:
        os.close(file)


def read(path: Path) -> str | None:
    """What was written; None where that cannot be known."""
    data = read_checked(path)
    return None if data is None else data.decode()


def seen(path: Path) -> tuple[int, int] | None:
    """What tells one state of a file from the next: its time and its inode; None where there is none."""
    found = stat(path)
    return (found.st_mtime_ns, found.st_ino) if found else None


def stat(path: Path) -> os.stat_result | None:
    """What the system knows of a file; None where there is none."""
    try:
        return path.stat()
    except OSError:
        return None
