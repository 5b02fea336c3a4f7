"""Resolving references to documents and texts."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.documents import Chunk, Document, Passage, content_hash
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.secrets import masked
from ark_tui.settings.tree import away, identity, within
from ark_tui.store import Lease, Store, documents, files, trash

if TYPE_CHECKING:
    from ark_tui.engine.services import Services
    from ark_tui.ingest.ignore import Ignore
    from ark_tui.settings import Settings

REFERENCE = re.compile(r"(?P<name>.+?)(?::(?P<first>\d+))?(?::(?P<second>\d+))?", re.DOTALL)
AN_ID = re.compile(r"#?[0-9a-f]{4,16}")
LINES = 40  # shown from a line on when no count is given

ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # any date: relative dates do not affect highlights


class Stored:
    """The documents of a store."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease

    def resolve(self, ref: str) -> int:
        return documents.resolve(self._lease, ref)

    def document(self, number: int) -> Document:
        found = documents.documents(self._lease, [number])[number]
        return looked_at(self._lease, found, documents.folder(self._lease, number))

    def body(self, number: int) -> str:
        return documents.body(self._lease, number)

    def language(self, number: int) -> str:
        return documents.language(self._lease, number)

    def root(self, number: int) -> str | None:
        return files.roots(self._lease).get(documents.folder(self._lease, number))

    def chunk(self, number: int, ordinal: int) -> tuple[int, Chunk] | None:
        chunk = documents.chunk_at(self._lease, number, ordinal)
        at = documents.chunk_number(self._lease, number, ordinal)
        return None if chunk is None or at is None else (at, chunk)


@contextmanager
def texts(parts: Services) -> Iterator[Stored]:
    """Read access to the searchable documents in this block."""
    with parts.store.read() as lease:
        yield Stored(lease)


def document(parts: Services, ref: str) -> Document:
    """The document of a reference. Raises `NotFound` and `Ambiguous`."""
    with texts(parts) as there:
        return there.document(_named(there, ref)[0])


def passage(parts: Services, ref: str, query: str = "", *, hidden: bool = False) -> Passage:
    """The text of a reference: a document, a chunk (`id:ordinal`) or lines (`path:from:count`).

    `hidden`: mask secrets in the whole text before it is cut, as part of a key would not be recognized. A
    chunk with a masked secret is returned as whole lines.
    """
    with texts(parts) as there:
        number, numbers = _named(there, ref)
        found, body, root = there.document(number), there.body(number), there.root(number)
        language = there.language(number) if query.strip() else ""
        chunk = None
        if len(numbers) == 1 and _is_id(ref):
            if (at := there.chunk(number, numbers[0])) is None:
                raise _no_chunk(found, numbers[0])
            chunk = at[1]
    total, told = _counted(body), masked(body)[0] if hidden else body
    if chunk:
        first, last = chunk.start_line, chunk.end_line
        text = _cut(told, first, last)
        if told == body or text == _cut(body, first, last):
            text = body[chunk.start_char : chunk.end_char]
    elif numbers:
        text, first, last = _lines(told, total, numbers)
    else:
        text, first, last = told, 1, max(total, 1)
    return Passage(
        found, text, first, last, total,
        file=f"{root}/{found.path}" if root else "",
        highlights=tuple(_highlights(text, query, language)) if query.strip() else (),
    )  # fmt: skip


def looked_at(lease: Lease, found: Document, folder: str) -> Document:
    """A document, with `away` set if its folder is missing."""
    return replace(found, away=True) if (folder, found.path) in Away(lease) else found


def trashed(store: Store, ref: str) -> Passage:
    """The whole text of a document in the trash. Raises `NotFound` and `Ambiguous`."""
    with store.read() as lease:
        number = documents.resolve(lease, ref, trash.HELD)
        found, body = documents.documents(lease, [number])[number], documents.body(lease, number)
    total = _counted(body)
    return Passage(found, body, 1, max(total, 1), total)


def stored(parts: Services, ref: str) -> tuple[int, int | None, str]:
    """The document number, the chunk number if given (`id:ordinal`), and the short id of a reference."""
    with texts(parts) as there:
        number, numbers = _named(there, ref)
        found = there.document(number)
        if not numbers:
            return number, None, found.short_id
        if len(numbers) > 1 or not _is_id(ref):
            raise UsageError(
                f"{ref} names lines, not a chunk.",
                f"Name the document, or a chunk by its id: {found.short_id}:0",
            )
        if (chunk := there.chunk(number, numbers[0])) is None:
            raise _no_chunk(found, numbers[0])
        return number, chunk[0], f"{found.short_id}:{numbers[0]}"


def _named(there: Stored, ref: str) -> tuple[int, list[int]]:
    """The document number, and the numbers after its name. File names may contain colons."""
    match = REFERENCE.fullmatch(ref.strip())
    if match is None:
        raise UsageError("There is nothing to show.", "Name a document: an id such as #3fa9c1, or a path.")
    numbers = [int(part) for part in (match["first"], match["second"]) if part]
    try:
        return there.resolve(match["name"]), numbers
    except NotFound:
        if not numbers:
            raise
        return there.resolve(ref.strip()), []


def _no_chunk(found: Document, ordinal: int) -> NotFound:
    return NotFound(f"{found.short_id} has no chunk {ordinal}.", f"See it whole: {found.short_id}")


def _counted(body: str) -> int:
    """The number of lines."""
    return body.count("\n") + (not body.endswith("\n")) if body else 0


def _is_id(ref: str) -> bool:
    return AN_ID.fullmatch(ref.strip().partition(":")[0]) is not None


def _lines(body: str, total: int, numbers: list[int]) -> tuple[str, int, int]:
    first, count = numbers[0], numbers[1] if len(numbers) > 1 else LINES
    if first < 1 or first > total:
        raise UsageError(f"There is no line {first}.", f"The document has {total} lines.")
    lines = body.split("\n")[first - 1 : first - 1 + count]
    return "\n".join(lines), first, first + len(lines) - 1


def _cut(body: str, first: int, last: int) -> str:
    """The lines `first` to `last` of a text."""
    return "\n".join(body.split("\n")[first - 1 : last])


def _highlights(text: str, query: str, language: str) -> list[tuple[int, int]]:
    from ark_tui.index.words import terms
    from ark_tui.retrieval import snippet
    from ark_tui.retrieval.query import parse

    parsed = parse(query, ANY_TIME, typing=True)
    found = terms.read(parsed.text, phrases=parsed.phrases, languages=(language,) if language else ())
    return snippet.matches(text, found, language)


class Away:
    """Missing parts of the indexed folders: `folders` by collection, "" for the root, or mount points in it.

    An empty folder counts as missing unless it is the same one as before (by inode): then it was emptied.
    """

    def __init__(self, lease: Lease) -> None:
        noted = files.noted(lease)
        found = {name: away(root, files.places(noted, root)) for name, root in files.roots(lease).items()}
        self.folders = {name: folders for name, folders in found.items() if folders}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((name, folder) for name, folders in self.folders.items() for folder in folders)

    def __contains__(self, place: tuple[str, str]) -> bool:
        """Whether a file, by collection and path, is missing; path "" for the whole collection."""
        collection, path = place
        return within(path, self.folders.get(collection, ()))


SAMPLE = 20  # files compared to recognize a moved folder


def moved(lease: Lease, path: Path) -> str:
    """The collection whose folder was moved to `path`; "" if there is none.

    Its old path must be gone while the parent exists. `path` must have the same inode, or contain half of a
    sample of its files, by inode or content.
    """
    noted = files.noted(lease)
    for name, root in files.roots(lease).items():
        old = Path(root)
        if old.exists() or not old.parent.exists() or path.is_relative_to(old):
            continue
        if identity(path) == files.places(noted, root)[""]:
            return name
        records = [one for one in files.known(lease, name).values() if one.state == "indexed"]
        sample = records[:: max(1, len(records) // SAMPLE)]
        if sample and 2 * sum(_is_at(path / one.path, one) for one in sample) >= len(sample):
            return name
    return ""


def _is_at(path: Path, record: files.FileRecord) -> bool:
    """Whether a file is the recorded one: same size, and same inode or content."""
    with suppress(OSError):
        seen = path.lstat()
        if seen.st_size != record.size or not stat.S_ISREG(seen.st_mode):
            return False
        return seen.st_ino == record.inode or content_hash(path.read_bytes()) == record.hash
    return False


def rules(settings: Settings, root: Path) -> Ignore:
    """The ignore rules of a folder."""
    from ark_tui.ingest.ignore import Ignore

    return Ignore.of(root, settings.ignore, git=settings.gitignore)
