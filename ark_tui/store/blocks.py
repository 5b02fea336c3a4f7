"""DuckDB's file format, as far as it tells a file that was cut short before it is opened.

Three headers of 4 KiB, then blocks. Each of the last two headers begins with a checksum, the number of the
checkpoint, two block numbers, the count of blocks and their size; the later checkpoint is in force.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

HEADER = 4096  # bytes
FIELDS = struct.Struct("<8x Q 16x Q Q")  # checkpoint, count of blocks, bytes of a block


def cut_short(path: Path) -> bool:
    """Whether a file that is not empty has fewer blocks than its header says."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(3 * HEADER)
    if size < 3 * HEADER:
        return size > 0
    _, count, bytes_ = max(FIELDS.unpack_from(head, at) for at in (HEADER, 2 * HEADER))
    return bool(size < 3 * HEADER + count * bytes_)
