"""The files of an export: a file, a folder, or an archive that is read without being unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile, is_zipfile

from ark_tui.domain import archives
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.untrusted import read_json
from ark_tui.settings.tree import Tree

LARGEST = 1 << 30  # bytes of a file of an export, and of those of an archive together, unpacked
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
            if self.archive is not None:
                return archives.read(self.archive, name, LARGEST)
            with self._file(name) as file:
                return archives.read_all(file, name, LARGEST)
        except archives.TooLarge as error:
            raise _too_large(self.path, error) from error
        except (OSError, BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
            raise UsageError(f"{name} cannot be read: {error}.", "Export it again.") from error

    def _file(self, name: str) -> BinaryIO:
        """A file to read; below a folder no link is followed."""
        if not self.path.is_dir():
            return self.path.open("rb")
        with Tree(self.path) as tree:
            return tree.open(name)

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
    """The files of an export. Raises `NotFound` where nothing is there, `UsageError` for a bomb."""
    if not path.exists():
        raise NotFound(f"There is no {path}.", "Name the file or folder of an export.")
    if path.is_dir():
        with Tree(path) as tree:
            names = _sorted(_below(tree, ""))
        yield Source(path, names)
    elif is_zipfile(path):
        with ZipFile(path) as archive:
            names = _sorted(archive.namelist())
            try:
                archives.check(archive, LARGEST, names)
            except archives.TooLarge as error:
                raise _too_large(path, error) from error
            yield Source(path, names, archive)
    else:
        yield Source(path, (path.name,))


def _below(tree: Tree, folder: str) -> Iterator[str]:
    """The files below a folder; a link is none, wherever it leads."""
    with tree.listed(folder) as entries:
        found = [
            (f"{folder}/{one.name}".lstrip("/"), one.is_dir(follow_symlinks=False))
            for one in entries
            if not one.is_symlink()
        ]
    for path, is_folder in found:
        if is_folder:
            with suppress(OSError):  # may not be read, or is gone by now
                yield from _below(tree, path)
        else:
            yield path


def _too_large(path: Path, error: archives.TooLarge) -> UsageError:
    return UsageError(f"{path.name} is too large: {error}.", "Import its files one by one, or split it.")


def _sorted(names: Iterator[str] | list[str]) -> tuple[str, ...]:
    return tuple(sorted(
        name for name in names
        if name.lower().endswith(SUFFIXES) or any(fnmatch(f"/{name}", f"*/{one}") for one in MAILDIR)
    ))  # fmt: skip
