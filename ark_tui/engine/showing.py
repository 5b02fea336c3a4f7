"""Resolving references to documents and texts."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.documents import Document, Passage, content_hash
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


def document(parts: Services, ref: str) -> Document:
    """The document of a reference. Raises `NotFound` and `Ambiguous`."""
    with parts.store.read() as lease:
        return looked_at(lease, _named(lease, ref)[0])


def passage(parts: Services, ref: str, query: str = "", *, hidden: bool = False) -> Passage:
    """The text of a reference: a document, a chunk (`id:ordinal`) or lines (`path:from:count`).

    `hidden`: mask secrets in the whole text before it is cut, as part of a key would not be recognized. A
    chunk with a masked secret is returned as whole lines.
    """
    with parts.store.read() as lease:
        number, numbers = _named(lease, ref)
        found, body = looked_at(lease, number), documents.body(lease, number)
        root = files.roots(lease).get(documents.folder(lease, number))
        language = documents.language(lease, number) if query.strip() else ""
        one = len(numbers) == 1 and _is_id(ref)
        chunk = documents.chunk_at(lease, number, numbers[0]) if one else None
        if one and chunk is None:
            raise _no_chunk(found, numbers[0])
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


def looked_at(lease: Lease, number: int) -> Document:
    """A document by its number, with `away` set if its folder is missing."""
    found = documents.documents(lease, [number])[number]
    away = (documents.folder(lease, number), found.path) in Away(lease)
    return replace(found, away=True) if away else found


def trashed(store: Store, ref: str) -> Passage:
    """The whole text of a document in the trash. Raises `NotFound` and `Ambiguous`."""
    with store.read() as lease:
        number = documents.resolve(lease, ref, trash.HELD)
        found, body = documents.documents(lease, [number])[number], documents.body(lease, number)
    total = _counted(body)
    return Passage(found, body, 1, max(total, 1), total)


def stored(parts: Services, ref: str) -> tuple[int, int | None, str]:
    """The document number, the chunk number if given (`id:ordinal`), and the short id of a reference."""
    with parts.store.read() as lease:
        number, numbers = _named(lease, ref)
        found = documents.documents(lease, [number])[number]
        if not numbers:
            return number, None, found.short_id
        if len(numbers) > 1 or not _is_id(ref):
            raise UsageError(
                f"{ref} names lines, not a chunk.",
                f"Name the document, or a chunk by its id: {found.short_id}:0",
            )
        if (chunk := documents.chunk_number(lease, number, numbers[0])) is None:
            raise _no_chunk(found, numbers[0])
        return number, chunk, f"{found.short_id}:{numbers[0]}"


def _named(lease: Lease, ref: str) -> tuple[int, list[int]]:
    """The document number, and the numbers after its name. File names may contain colons."""
    match = REFERENCE.fullmatch(ref.strip())
    if match is None:
        raise UsageError("There is nothing to show.", "Name a document: an id such as #3fa9c1, or a path.")
    numbers = [int(part) for part in (match["first"], match["second"]) if part]
    try:
        return documents.resolve(lease, match["name"]), numbers
    except NotFound:
        if not numbers:
            raise
        return documents.resolve(lease, ref.strip()), []


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
