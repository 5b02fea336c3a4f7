"""Blocks of the store that a checkpoint is about to write anew in place, kept beside it meanwhile.

DuckDB keeps metadata in blocks of which parts are in use: a checkpoint fills free parts and writes
the whole block. Cut off within such a write, by `kill -9` or a power cut, its checksum is wrong and the file
cannot be opened any more, although nothing that is in force was touched. Then the blocks are put back.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from ark_tui.settings.home import write_file

HEADERS = 3 * 4096  # bytes: those of the file, and of its last two checkpoints
PART = struct.Struct("<QQ")  # where in the file, how many bytes


def kept(store: Path) -> Path:
    """Where they are while a checkpoint is under way, or after one that was cut off."""
    return store.with_name(f"{store.name}.blocks")


def keep(store: Path, file: int, blocks: Iterable[int], size: int) -> None:
    """Keep the headers, and blocks of a size, of the store that is open as `file`."""
    places = [(0, HEADERS), *((HEADERS + block * size, size) for block in blocks)]
    parts = [(at, os.pread(file, length, at)) for at, length in places]
    write_file(kept(store), b"".join(PART.pack(at, len(part)) + part for at, part in parts), synced=True)


def put_back(store: Path) -> bool:
    """Undo what a checkpoint that was cut off has written; false where there was none, or it was complete."""
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
