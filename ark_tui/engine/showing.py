"""Finds what a reference names and hands out its text."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ark_tui.domain.documents import Document, Passage
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.secrets import masked
from ark_tui.engine import roots
from ark_tui.store import Lease, Store, documents, files, trash

REFERENCE = re.compile(r"(?P<name>.+?)(?::(?P<first>\d+))?(?::(?P<second>\d+))?", re.DOTALL)
AN_ID = re.compile(r"#?[0-9a-f]{4,16}")
LINES = 40  # shown from a line on when no count is given

ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # which days a query means does not matter for what is marked


def document(store: Store, ref: str) -> Document:
    """The document that a reference names; raises `NotFound` and `Ambiguous`."""
    with store.read() as lease:
        number, _ = _named(lease, ref)
        return documents.documents(lease, [number])[number]


def passage(store: Store, ref: str, query: str = "", *, hidden: bool = False) -> Passage:
    """The text that a reference names: a document, a chunk (`id:ordinal`) or lines (`path:from:count`).

    `hidden`: its secrets are masked, in the whole text: half a key is none that could be known. A chunk with
    a part of one is handed out by whole lines.
    """
    with store.read() as lease:
        number, numbers = _named(lease, ref)
        found = documents.documents(lease, [number])[number]
        body = documents.body(lease, number)
        language = documents.language(lease, number) if query.strip() else ""
        folder = documents.folder(lease, number)
        root = files.roots(lease).get(folder)
        found = looked_at(lease, found, folder)
        chunk = None
        if len(numbers) == 1 and _is_id(ref):
            chunk = documents.chunk_at(lease, number, numbers[0])
            if chunk is None:
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
        file=str(Path(root) / found.path) if root else "",
        highlights=tuple(_highlights(text, query, language)) if query.strip() else (),
    )  # fmt: skip


def looked_at(lease: Lease, found: Document, folder: str) -> Document:
    """A document, marked where what it lies in is away now."""
    return replace(found, away=True) if (folder, found.path) in roots.Away(lease) else found


def trashed(store: Store, ref: str) -> Passage:
    """The whole text of a document in the trash; raises `NotFound` and `Ambiguous`."""
    with store.read() as lease:
        number = documents.resolve(lease, ref, trash.HELD)
        found, body = documents.documents(lease, [number])[number], documents.body(lease, number)
    total = _counted(body)
    return Passage(found, body, 1, max(total, 1), total)


def stored(store: Store, ref: str) -> tuple[int, int | None, str]:
    """The numbers of the document, and of the chunk if one is named (`id:ordinal`), and its short name."""
    with store.read() as lease:
        number, numbers = _named(lease, ref)
        found = documents.documents(lease, [number])[number]
        if not numbers:
            return number, None, found.short_id
        if len(numbers) > 1 or not _is_id(ref):
            raise UsageError(
                f"{ref} names lines, not a chunk.",
                f"Name the document, or a chunk by its id: {found.short_id}:0",
            )
        chunk = documents.chunk_number(lease, number, numbers[0])
        if chunk is None:
            raise _no_chunk(found, numbers[0])
        return number, chunk, f"{found.short_id}:{numbers[0]}"


def _named(lease: Lease, ref: str) -> tuple[int, list[int]]:
    """The document's number, and the numbers behind its name. A file's own name may hold colons."""
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
    """These lines of a text."""
    return "\n".join(body.split("\n")[first - 1 : last])


def _highlights(text: str, query: str, language: str) -> list[tuple[int, int]]:
    from ark_tui.index.words import terms
    from ark_tui.retrieval import snippet
    from ark_tui.retrieval.query import parse

    parsed = parse(query, ANY_TIME, typing=True)
    found = terms.read(parsed.text, phrases=parsed.phrases, languages=(language,) if language else ())
    return snippet.matches(text, found, language)
