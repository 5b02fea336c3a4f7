"""From bytes, as parsers count, to characters, as Python and editors do."""

from __future__ import annotations

from collections.abc import Iterable


def characters(data: bytes, offsets: Iterable[int], start: int = 0) -> list[int]:
    """Rising byte offsets into UTF-8 `data`, as character offsets; `start` is that of the first byte."""
    if data.isascii():
        return [start + offset for offset in offsets]
    places, byte, char = [], 0, start
    for offset in offsets:
        char += len(data[byte:offset].decode("utf-8", "ignore"))
        byte = offset
        places.append(char)
    return places
