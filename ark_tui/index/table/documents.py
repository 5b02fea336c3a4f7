"""The documents of the table: named as those of a home are, their texts put together from their chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint, NotFound
from ark_tui.index.table import sql
from ark_tui.index.words import cards
from ark_tui.store import documents as stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ark_tui.domain.documents import Chunk, Document
    from ark_tui.index.table.snapshot import Source
    from ark_tui.store import Lease
    from ark_tui.store.found import Found

NAMED = ("document", "id", "collection", "path", "title")
STEM = r"regexp_replace(regexp_replace(path, '^.*/', ''), '\.[^.]*$', '')"
SHORTEST = 4  # characters of an id


class TableDocuments:
    """Those of the version in force. Raises `StoreError` where the place cannot be read."""

    def __init__(self, source: Source, lease: Lease) -> None:
        self._source = source
        self._lease = lease  # of the home that asks, which knows its last search
        self._read: dict[int, dict[int, Found]] = {}

    def resolve(self, ref: str) -> int:
        """The number of the document that `ref` names, as `store.documents.resolve` does.

        Raises `NotFound`, and `Ambiguous`.
        """
        at = self._source.refresh()
        name = stored.meant(self._lease, ref).strip().removeprefix("#").removeprefix("./")
        given = sql.quoted(name)
        for condition in (
            f"id = {given}",
            f"path = {given}",
            f"collection || '/' || path = {given}",
            f"starts_with(id, {given})" if len(name) >= SHORTEST else "false",
            f"ends_with(path, {sql.quoted(f'/{name}')})",
            f"{STEM} = {given}",
        ):
            rows = at.read(sql.every("ordinal = 0", condition), NAMED, at.published.size) if at else []
            if rows:
                listed = [tuple(row[name] for name in NAMED) for row in rows]
                return stored.only(ref, sorted(listed, key=lambda row: (row[2], row[3], row[0])))
        raise NotFound(f"There is no document {ref} in the table.", Hint.run("search", "some words"))

    def document(self, number: int) -> Document:
        """The document of a number that was resolved."""
        return next(iter(self._chunks(number).values())).document

    def body(self, number: int) -> str:
        """Its text."""
        return body([*self._chunks(number).values()])

    def language(self, number: int) -> str:
        """The language of its prose, as `store.documents.language` says it."""
        return max(found.language for found in self._chunks(number).values())

    def root(self, number: int) -> None:
        """The folder of its file, which is elsewhere."""

    def chunk(self, number: int, ordinal: int) -> tuple[int, Chunk] | None:
        """The number of one of its chunks, and where it stands."""
        found = self._chunks(number).items()
        return next(((n, one.chunk) for n, one in found if one.chunk.ordinal == ordinal), None)

    def _chunks(self, number: int) -> dict[int, Found]:
        if number not in self._read:
            at = self._source.refresh()
            where = f"document = {number}"
            rows = at.read(where, ("ordinal", "card"), at.published.size) if at else []
            ordered = sorted(rows, key=lambda row: int(row["ordinal"]))
            self._read[number] = {row["chunk"]: cards.read(row["card"]) for row in ordered}
        if not self._read[number]:  # another version is in force meanwhile
            raise NotFound("The document is no longer in the table.", Hint.run("search", "some words"))
        return self._read[number]


def body(chunks: Sequence[Found]) -> str:
    """The text of a document, at the lines and characters where it is: between chunks there is but space.

    What stands before the first, such as front matter, is in no chunk: the lines are empty.
    """
    parts, length, line = list[str](), 0, 1
    for found in chunks:
        place = found.chunk
        missing = max(place.start_char - length, 0)
        breaks = min(max(place.start_line - line, 0), missing)
        written = found.text[max(length - place.start_char, 0) :]
        parts += [" " * (missing - breaks), "\n" * breaks, written]
        length += missing + len(written)
        line = place.end_line
    return "".join(parts)
