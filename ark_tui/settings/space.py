"""What the bytes of a home are for, and which of it has a bound. Each file counts for the first that fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from ark_tui.domain.work import Space
from ark_tui.settings.home import below


class Purpose(NamedTuple):
    """What files are for. `bound`: how much of them is kept at most; empty for what grows with the corpus."""

    name: str
    files: tuple[str, ...]
    bound: str = ""


PURPOSES = (
    Purpose("text and records", ("ark.duckdb*",)),
    Purpose("words", ("words/*",)),
    Purpose("message words", ("messages/*",)),
    Purpose("vectors", ("vectors/*", "message_vectors/*")),
    Purpose("models", ("models/*",)),
    Purpose("backups", ("backups/*",)),
    Purpose("analysis cache", ("cache/analysis/*",), "two states of the corpus"),
    Purpose("query expansions", ("cache/expansions/*",), "2,000"),
    Purpose("other caches", ("cache/*",), "a file for each model"),
    Purpose("logs", ("logs/*",), "2 MB"),
    Purpose("other", ("*",)),
)


def by_purpose(home: Path) -> tuple[Space, ...]:
    """The bytes of a home by what they are for; what takes none is left out."""
    found: Counter[str] = Counter()
    for name, size in _files(home):
        found[next(one.name for one in PURPOSES if any(fnmatchcase(name, part) for part in one.files))] += (
            size
        )
    return tuple(Space(one.name, found[one.name], one.bound) for one in PURPOSES if found[one.name])


def _files(home: Path) -> Iterator[tuple[str, int]]:
    """The files by their path in the home, with their sizes; those that go meanwhile are left out."""
    for path in below(home):
        with suppress(FileNotFoundError):
            stat = path.lstat()
            if S_ISREG(stat.st_mode):
                yield path.relative_to(home).as_posix(), stat.st_size
