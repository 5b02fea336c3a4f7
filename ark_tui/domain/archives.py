"""Archives are bounded by what they unpack to, before anything of them is read.

A zip of 1 MB can hold gigabytes of blanks. So the declared sizes of the parts that are wanted, and their
ratio to what is packed, are checked first; each part is then unpacked piece by piece and no further.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from zipfile import ZipFile

RATIO = 200
"""Times its packed size that a part may unpack to. Text packs to a tenth, tables to a hundredth."""

ALWAYS = 16 << 20
"""Bytes that may be unpacked at whatever ratio: they burst nothing."""

PIECE = 1 << 20


class TooLarge(ValueError):
    """An archive unpacks to more than is read; the message says what does, as part of a sentence."""


def check(archive: ZipFile, limit: int, names: Iterable[str] | None = None) -> None:
    """Raise `TooLarge` where the parts declare more than `limit` bytes together, or one too high a ratio.

    `names`: only these parts count.
    """
    wanted = None if names is None else set(names)
    total = 0
    for part in archive.infolist():
        if wanted is not None and part.filename not in wanted:
            continue
        total += part.file_size
        if total > limit:
            raise TooLarge(f"it unpacks to more than {limit >> 20:,} MB")
        if part.file_size > max(ALWAYS, RATIO * part.compress_size):
            size = f"{part.file_size >> 20:,} MB, more than {RATIO} times its packed size"
            raise TooLarge(f"{part.filename} unpacks to {size}")


def read(archive: ZipFile, name: str, limit: int) -> bytes:
    """A part, unpacked. Raises `TooLarge` beyond `limit` bytes, `BadZipFile` and others for a damaged one."""
    with archive.open(name) as part:
        return read_all(part, name, limit)


def read_all(file: IO[bytes], name: str, limit: int) -> bytes:
    """What is in a file. Raises `TooLarge` beyond `limit` bytes."""
    data = bytearray()
    while piece := file.read(PIECE):
        data += piece
        if len(data) > limit:
            raise TooLarge(f"{name} has more than {limit >> 20:,} MB")
    return bytes(data)


def unpack_all(archive: ZipFile) -> None:
    """Unpack every part into nothing, for libraries that would not stop at the declared size.

    Raises `BadZipFile` where a part is not what it declares.
    """
    for name in archive.namelist():
        with archive.open(name) as part:
            while part.read(PIECE):
                pass
