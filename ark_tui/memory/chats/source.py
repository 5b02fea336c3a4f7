"""The files of an export (a file, a folder, or an archive, read without unpacking), and its chats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from zipfile import BadZipFile, ZipFile, is_zipfile

from ark_tui.domain import archives, transcripts
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.memory import Saying
from ark_tui.domain.untrusted import read_json
from ark_tui.settings.tree import Tree

T = TypeVar("T")

LARGEST = 1 << 30  # bytes of a file, and of all files of an archive, unpacked
SUFFIXES = (".json", ".jsonl", ".txt", ".mbox", ".mbx", ".eml")
MAILDIR = ("cur/*", "new/*")
"""The message folders of a Maildir, whose files have no suffix."""


@dataclass(frozen=True)
class Source:
    """An export. `names`: the files that may contain chats, with / between folders.

    `_parsed`: a cache of the last JSON file by name, since several readers try the same file.
    """

    path: Path
    names: tuple[str, ...]
    archive: ZipFile | None = None
    _parsed: dict[str, Any] = field(default_factory=dict, compare=False)

    def matching(self, *patterns: str) -> list[str]:
        """The names of files that match a pattern in any folder, sorted."""
        return [
            name for name in self.names if any(fnmatch(f"/{name}", f"*/{pattern}") for pattern in patterns)
        ]

    def text(self, name: str) -> str:
        """The text of a file; invalid characters are replaced. Raises `UsageError`."""
        return self.bytes(name).decode("utf-8-sig", "replace")

    def bytes(self, name: str) -> bytes:
        """The bytes of a file. Raises `UsageError`."""
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
        """Open a file; in a folder, symbolic links are not followed."""
        if not self.path.is_dir():
            return self.path.open("rb")
        with Tree(self.path) as tree:
            return tree.open(name)

    def json(self, name: str) -> Any:
        """The parsed JSON of a file (do not change it); None if it is invalid."""
        if name not in self._parsed:
            self._parsed.clear()
            try:
                self._parsed[name] = read_json(self.text(name))
            except ValueError:
                self._parsed[name] = None
        return self._parsed[name]

    def lines(self, name: str) -> Iterator[Any]:
        """The objects of a JSON lines file; None for an invalid line, such as a truncated one."""
        for line in self.text(name).splitlines():
            if line.strip():
                try:
                    found = read_json(line)
                except ValueError:
                    found = None
                yield found if isinstance(found, dict) else None


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Open an export. Raises `NotFound` if it does not exist, and `UsageError` for a zip bomb."""
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
    """The files below a folder, without symbolic links."""
    with tree.listed(folder) as entries:
        found = [
            (f"{folder}/{one.name}".lstrip("/"), one.is_dir(follow_symlinks=False))
            for one in entries
            if not one.is_symlink()
        ]
    for path, is_folder in found:
        if is_folder:
            with suppress(OSError):  # not readable, or deleted meanwhile
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


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation of an export. `left_out`: the number of entries without a readable message.

    `problem`: why a conversation or file cannot be read; it has no messages then.
    """

    id: str
    title: str
    messages: tuple[Saying, ...]
    left_out: int = 0
    problem: str = ""


FAULTS = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
"""The errors that a reader raises for an entry of unexpected structure."""


def each(items: Iterable[tuple[str, T]], read: Callable[[T], Iterable[Chat]]) -> Iterator[Chat]:
    """The chats of each item. An unreadable item is reported by name, and the next one is read."""
    for name, item in items:
        try:
            yield from read(item)
        except FAULTS as error:
            yield Chat("", name, (), problem=f"{name} cannot be read: {type(error).__name__}, {error}")


def chat(
    id_: str, title: object, entries: Iterable[Any], read: Callable[[Any], Mapping[str, Any] | None]
) -> Chat:
    """A conversation from entries; `read` converts each into a message as in transcripts, or into None."""
    said, left_out = [], 0
    for entry in entries:
        message = _said(entry, read)
        if message is None:
            left_out += 1
        else:
            said.append(message)
    return Chat(" ".join(id_.split())[:200], " ".join(str(title or "").split())[:200], tuple(said), left_out)


def _said(entry: Any, read: Callable[[Any], Mapping[str, Any] | None]) -> Saying | None:
    try:
        raw = read(entry)
        found = transcripts.saying(raw) if raw else None
    except (*FAULTS, UsageError):
        return None  # an entry of unexpected structure does not reject the export
    return found if found and (found.content.strip() or found.given) else None
