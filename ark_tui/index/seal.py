"""Checksums of an index's files: what was damaged is noticed before it is read.

Files are written once and sealed: their size, time of change and CRC-32 are noted. Whoever opens an index
looks at size and time, and at the content of what has another time; `thorough` looks at the content of all.
The small JSON files that hold marks and seals carry a checksum of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import Any
from zlib import crc32

from ark_tui.domain.errors import Hint, IndexDamaged
from ark_tui.domain.failures import of_disk
from ark_tui.settings.home import write_file

BLOCK = 1 << 20
SUM = "sum"

Seals = dict[str, list[int]]  # by the file's name in its folder: size, time of change (ns), CRC-32


def sealed(folder: Path, names: Iterable[str], before: Mapping[str, list[int]]) -> Seals:
    """The seals of files; one that is sealed already is not read again."""
    return {name: before.get(name) or _seal(folder / name) for name in names}


def fault(folder: Path, seals: Mapping[str, list[int]], *, thorough: bool = False) -> str:
    """The first file that is not as it was when it was sealed; empty when all are."""
    return next((name for name in seals if not _holds(folder / name, seals[name], thorough=thorough)), "")


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a JSON file, with its checksum."""
    write_file(path, json.dumps({**content, SUM: _sum(content)}).encode())


def read(path: Path) -> dict[str, Any] | None:
    """A JSON file's content; None where there is none, or it is damaged."""
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found if found.pop(SUM) == _sum(found) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


@contextmanager
def guarded(index: str) -> Iterator[None]:
    """Native code that reads an index: its errors, and its panics, become `IndexDamaged`."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        if failure := of_disk(error, f"the {index} index"):
            raise failure from error
        raise damaged(index) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of pyo3, which offers no class to catch
            raise damaged(index) from error
        raise


def damaged(index: str) -> IndexDamaged:
    """What to raise when an index cannot be read."""
    return IndexDamaged(
        f"The {index} index is damaged.", Hint.run("doctor", repair=True, say="Rebuild it from the store: {}")
    )


def _sum(content: Mapping[str, Any]) -> int:
    return crc32(json.dumps(content).encode())


def _seal(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, _crc(path)]


def _holds(path: Path, seal: list[int], *, thorough: bool) -> bool:
    size, time, crc = seal
    try:
        stat = path.stat()
        same = S_ISREG(stat.st_mode) and stat.st_size == size
        return same and ((stat.st_mtime_ns == time and not thorough) or _crc(path) == crc)
    except OSError:
        return False


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            crc = crc32(block, crc)
    return crc
