"""Details of a document for readers: link targets, backlinks, symbols, metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ark_tui.domain.documents import Document, Link, Passage
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.reading import About, Backlink, Stake, Symbol
from ark_tui.domain.work import Problem
from ark_tui.engine.services import Services
from ark_tui.engine.showing import looked_at
from ark_tui.ingest.walk import Entry
from ark_tui.settings.tree import Tree
from ark_tui.store import Lease, documents, files, following, links

INDEX_IT = "Index it again, or move it to the trash."

SURROUNDINGS = 200
"""Most backlinks of a document that are shown with their line."""


class Reading:
    """Read-only access to the documents of one home."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def links(self, ref: str) -> tuple[Link, ...]:
        """Outgoing links, then incoming links. Outgoing links include stubs and periods."""
        with self._parts.store.read() as lease:
            number = documents.resolve(lease, ref)
            return (*following.outgoing(lease, number), *following.incoming(lease, number))

    def stake(self, refs: Sequence[str]) -> Stake:
        """Counts of documents, chunks and incoming links affected by deleting these documents."""
        with self._parts.store.read() as lease:
            numbers = [documents.resolve(lease, ref) for ref in refs]
            edges = links.edges(lease, numbers)
            chunks = documents.chunks(lease, numbers)
        to_them = [one for one in edges if one.target in numbers and one.source not in numbers]
        return Stake(len(numbers), chunks, len(to_them))

    def follow(self, ref: str, written: str, *, wiki: bool) -> Link:
        """Resolve a link written in a document as `[[written]]` (`wiki`) or as `[…](written)`.

        A link to an anchor in the same document resolves to that document.
        """
        return self._ends(ref, [(written, wiki)])[0]

    def astray(self, ref: str, links: Iterable[tuple[str, bool]]) -> frozenset[tuple[str, bool]]:
        """The given links of a document that have no target document yet, as pairs `(written, wiki)`."""
        asked = list(dict.fromkeys(links))
        ends = self._ends(ref, asked)
        return frozenset(link for link, end in zip(asked, ends, strict=True) if end.state == "stub")

    def _ends(self, ref: str, links: Iterable[tuple[str, bool]]) -> list[Link]:
        with self._parts.store.read() as lease:
            number = documents.resolve(lease, ref)
            here = documents.documents(lease, [number])[number]
            stored: dict[str, Link] = {}
            for one in following.outgoing(lease, number):
                if one.document is not None or one.target not in stored:
                    stored[one.target] = one
        return [_end(here, stored, written, wiki=wiki) for written, wiki in links]

    def present(self, ref: str) -> Passage:
        """The current text of a document's file, read as for indexing but not stored.

        Raises `NotFound` if the file or its document is gone, and `UsageError` if it cannot be read.
        """
        from ark_tui.ingest.reading import load

        with self._parts.store.read() as lease:
            number = documents.resolve(lease, ref)
            found = documents.documents(lease, [number])[number]
            root = files.roots(lease).get(documents.folder(lease, number))
        if not root:
            raise UsageError("This text has no file.", "Only its stored text exists.")
        try:
            with Tree(root) as tree:
                entry = Entry.of(tree, found.path)
                data = load(tree, entry, self._parts.settings.max_bytes)
        except OSError as error:
            raise NotFound(f"Its file is gone: {error.strerror or error}.", INDEX_IT) from error
        drafts = data if isinstance(data, Problem) else self._parts.reader.read(entry, data)
        if isinstance(drafts, Problem):
            raise UsageError(f"Its file cannot be read now: {drafts.reason}.", INDEX_IT)
        draft = next((one for one in drafts if one.item == found.item), None)
        if draft is None:
            raise NotFound("It is no longer in its file.", INDEX_IT)
        total = max(1, len(draft.body.splitlines()))
        return Passage(
            replace(found, title=draft.title), draft.body, 1, total, total, file=f"{root}/{found.path}"
        )

    def symbols(self, ref: str) -> tuple[Symbol, ...]:
        """Functions and classes of source code, or pages and headings of other files, in order."""
        with self._parts.store.read() as lease:
            return tuple(following.symbols(lease, documents.resolve(lease, ref)))

    def about(self, ref: str) -> About:
        """Metadata, front matter, links, backlinks and near duplicates of a document."""
        repeats = self._parts.repeats()
        with self._parts.store.read() as lease:
            number = documents.resolve(lease, ref)
            found, root = looked_at(lease, number), files.roots(lease).get(documents.folder(lease, number))
            return About(
                found,
                f"{root}/{found.path}" if root else "",
                following.of(lease, number),
                _front_matter(documents.body(lease, number)),
                tuple(following.outgoing(lease, number)),
                tuple(_backlinks(lease, number)),
                tuple(documents.documents(lease, _alike(lease, number, repeats)).values()),
            )


def _end(here: Document, stored: Mapping[str, Link], written: str, *, wiki: bool) -> Link:
    from ark_tui.ingest import markdown
    from ark_tui.ingest.markdown import WrittenLink

    if written.startswith("#"):
        return Link("links_to", "out", written, here, anchor=written.lstrip("#"))
    drafts = list(markdown.written([WrittenLink(written, 0, wiki, "")], here.path))
    target, anchor = (drafts[0].target, drafts[0].anchor) if drafts else (written, "")
    return replace(stored.get(target) or Link("links_to", "out", target), anchor=anchor)


def _backlinks(lease: Lease, number: int) -> list[Backlink]:
    links = following.incoming(lease, number)
    places = [(link.document.id, link.line) for link in links[:SURROUNDINGS] if link.document]
    lines = following.lines(lease, places) if places else {}
    return [
        Backlink(link, lines.get((link.document.id, link.line), "") if link.document else "")
        for link in links
    ]


def _alike(lease: Lease, number: int, repeats: list[tuple[int, int]]) -> list[int]:
    """Other documents with the same text, or with a near duplicate of one of its chunks."""
    own = following.chunks(lease, number)
    others = [a if b in own else b for a, b in repeats if (a in own) != (b in own)]
    near = following.holders(lease, others) if others else []
    return [
        fromkey
        for fromkey in dict.fromkeys([*following.same_text(lease, number), *near])
        if fromkey != number
    ]


def _front_matter(body: str) -> tuple[tuple[str, str], ...]:
    from ark_tui.ingest import frontmatter

    return tuple((key, _said(value)) for key, value in frontmatter.read(body).values.items())


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_said(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_said(one)}" for key, one in value.items())
    return " ".join(str(value).split())
