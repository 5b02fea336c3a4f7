"""Checksums of index files, to detect damage before they are read.

Files are written once and sealed: their size, modification time and CRC-32 are stored. When an index is
opened, sizes and times are compared, and the content of files with a different time; `thorough` compares the
content of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from zlib import crc32

from ark_tui.domain.errors import Hint, IndexDamaged
from ark_tui.domain.failures import of_disk

BLOCK = 1 << 20
MARK = "mark.json"  # the file with the last change that an index includes

Seals = dict[str, list[int]]  # by file name: size, modification time (ns), CRC-32


def sealed(folder: Path, names: Iterable[str], before: Mapping[str, list[int]]) -> Seals:
    """The seals of files; files already sealed are not read again."""
    return {name: before.get(name) or _seal(folder / name) for name in names}


def fault(folder: Path, seals: Mapping[str, list[int]], *, thorough: bool = False) -> str:
    """The first file that differs from its seal; empty if none does."""
    return next((name for name in seals if not _holds(folder / name, seals[name], thorough=thorough)), "")


@contextmanager
def guarded(index: str) -> Iterator[None]:
    """Convert errors and panics of native index code to `IndexDamaged`."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        if failure := of_disk(error, f"the {index} index"):
            raise failure from error
        raise damaged(index) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # from pyo3, which exports no class to catch
            raise damaged(index) from error
        raise


def damaged(index: str) -> IndexDamaged:
    """The error for an index that cannot be read."""
    return IndexDamaged(
        f"The {index} index is damaged.", Hint.run("doctor", repair=True, say="Rebuild it from the store: {}")
    )


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
