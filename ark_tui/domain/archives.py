"""Protection against zip bombs.

A zip of 1 MB can unpack to gigabytes. The declared sizes of the needed parts and their compression ratio are
checked first; each part is then unpacked piece by piece, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from zipfile import ZipFile

RATIO = 200
"""The maximum compression ratio of a part. Text reaches about 10, tables about 100."""

ALWAYS = 16 << 20
"""Bytes that are harmless at any ratio."""

PIECE = 1 << 20


class TooLarge(ValueError):
    """An archive unpacks to more than the limit; the message is part of a sentence."""


def check(archive: ZipFile, limit: int, names: Iterable[str] | None = None) -> None:
    """Raise `TooLarge` if the declared total exceeds `limit` bytes, or a part's ratio is too high.

    `names`: check only these parts.
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
    """Unpack a part. Raises `TooLarge` beyond `limit` bytes, `BadZipFile` and others for a damaged one."""
    with archive.open(name) as part:
        return read_all(part, name, limit)


def read_all(file: IO[bytes], name: str, limit: int) -> bytes:
    """Read a file. Raises `TooLarge` beyond `limit` bytes."""
    data = bytearray()
    while piece := file.read(PIECE):
        data += piece
        if len(data) > limit:
            raise TooLarge(f"{name} has more than {limit >> 20:,} MB")
    return bytes(data)


def unpack_all(archive: ZipFile) -> None:
    """Unpack every part and discard it, for libraries that do not enforce the declared size.

    Raises `BadZipFile` if a part differs from its declaration.
    """
    for name in archive.namelist():
        with archive.open(name) as part:
            while part.read(PIECE):
                pass
