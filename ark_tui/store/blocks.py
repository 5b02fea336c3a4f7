"""Backup of the blocks that a checkpoint overwrites in place.

DuckDB stores metadata in partly used blocks: a checkpoint fills free parts and writes the whole block. If
`kill -9` or a power cut interrupts the write, the checksum of the block is wrong and the file cannot be
opened, although no valid data was changed. Then these blocks are restored.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from ark_tui.settings.home import write_file

HEADERS = 3 * 4096  # bytes: the header of the file, and of its last two checkpoints
PART = struct.Struct("<QQ")  # offset in the file, number of bytes


def kept(store: Path) -> Path:
    """The path of the backup; the file exists during a checkpoint, or after an interrupted one."""
    return store.with_name(f"{store.name}.blocks")


def keep(store: Path, file: int, blocks: Iterable[int], size: int) -> None:
    """Save the headers, and blocks of `size` bytes, of the store open as `file`."""
    places = [(0, HEADERS), *((HEADERS + block * size, size) for block in blocks)]
    parts = [(at, os.pread(file, length, at)) for at, length in places]
    write_file(kept(store), b"".join(PART.pack(at, len(part)) + part for at, part in parts), synced=True)


def put_back(store: Path) -> bool:
    """Restore the blocks after an interrupted checkpoint; false if there is none, or if it was complete."""
    try:
        data = kept(store).read_bytes()
        with store.open("r+b") as file:
            start = PART.size + HEADERS
            if file.read(HEADERS) != data[PART.size : start]:
                return False
            while start < len(data):
                at, length = PART.unpack_from(data, start)
                file.seek(at)
                file.write(data[start + PART.size : start + PART.size + length])
                start += PART.size + length
            file.flush()
            os.fsync(file.fileno())
    except (OSError, struct.error):
        return False
    return True
