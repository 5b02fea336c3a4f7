"""The files of an export: a file, a folder, or an archive that is read without being unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.untrusted import read_json

LARGEST = 2 << 30  # bytes of a file of an export, unpacked
SUFFIXES = (".json", ".jsonl", ".txt", ".mbox", ".mbx", ".eml")
MAILDIR = ("cur/*", "new/*")
"""Where a Maildir has its messages, whose files have no suffix."""


@dataclass(frozen=True)
class Source:
    """What is to be imported. `names`: of its files that chats may be in, with / between folders.

    `_parsed`: the last file of JSON by its name, since often there is only one, which is read several times.
    """

    path: Path
    names: tuple[str, ...]
    archive: ZipFile | None = None
    _parsed: dict[str, Any] = field(default_factory=dict, compare=False)

    def matching(self, *patterns: str) -> list[str]:
        """The names of files that match a pattern, in whatever folder of it, sorted."""
        return [
            name for name in self.names if any(fnmatch(f"/{name}", f"*/{pattern}") for pattern in patterns)
        ]

    def text(self, name: str) -> str:
        """What a file holds; characters that are none are replaced. Raises `UsageError`."""
        return self.bytes(name).decode("utf-8-sig", "replace")

    def bytes(self, name: str) -> bytes:
        """What a file holds, as it stands. Raises `UsageError`."""
        try:
            if self.archive is None:
                place = self.path / name if self.path.is_dir() else self.path
                size, read = place.stat().st_size, place.read_bytes
            else:
                info = self.archive.getinfo(name)
                size = info.file_size

                def read() -> bytes:
                    with self.archive.open(info) as file:  # type: ignore[union-attr]
                        return file.read(LARGEST)

            if size > LARGEST:
                raise UsageError(f"{name} is too large: {size:,} bytes.", "Split it.")
            return read()
        except (OSError, BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
            raise UsageError(f"{name} cannot be read: {error}.", "Export it again.") from error

    def json(self, name: str) -> Any:
        """The JSON of a file, not to be changed; None where it is none."""
        if name not in self._parsed:
            self._parsed.clear()
            try:
                self._parsed[name] = read_json(self.text(name))
            except ValueError:
                self._parsed[name] = None
        return self._parsed[name]

    def lines(self, name: str) -> Iterator[Any]:
        """The objects of a file of JSON lines; None for a line that is none, such as one that is cut off."""
        for line in self.text(name).splitlines():
            if line.strip():
                try:
                    found = read_json(line)
                except ValueError:
                    found = None
                yield found if isinstance(found, dict) else None


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """The files of an export. Raises `NotFound` where nothing is there."""
    if not path.exists():
        raise NotFound(f"There is no {path}.", "Name the file or folder of an export.")
    if path.is_dir():
        names = (str(file.relative_to(path)) for file in path.rglob("*") if file.is_file())
        yield Source(path, _sorted(names))
    elif is_zipfile(path):
        with ZipFile(path) as archive:
            yield Source(path, _sorted(archive.namelist()), archive)
    else:
        yield Source(path, (path.name,))


def _sorted(names: Iterator[str] | list[str]) -> tuple[str, ...]:
    return tuple(sorted(
        name for name in names
        if name.lower().endswith(SUFFIXES) or any(fnmatch(f"/{name}", f"*/{one}") for one in MAILDIR)
    ))  # fmt: skip
