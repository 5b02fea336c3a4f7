"""What is known about a document, as choices: its links, similar documents and metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ark_tui import operations
from ark_tui.domain.errors import ArkError
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.names import Choice, Names
from ark_tui.interfaces.tui.state.wording import moment

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Link
    from ark_tui.domain.reading import About, Backlink, Particulars
    from ark_tui.interfaces.tui.state.client import Client

ALIKE = 8
"""Maximum similar documents."""

NAMES = 13
"""Width of the column of names in cells."""

BACKLINKS, SIMILAR, LINKS, SAME, DOCUMENT = (
    "Backlinks",
    "Similar documents",
    "Links",
    "Duplicates",
    "Document",
)


class Details(Names):
    """The details of a document. Choices with a document can be opened: their names are `id:line`."""

    does = strings.DOES_OPEN
    looks = True

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document

    def read(self, client: Client) -> Sequence[Choice]:
        about = client.call(operations.workbench.about, self._document.id)
        return [
            *(_backlink(one) for one in about.backlinks),
            *self._similar(client),
            *(_link(one) for one in about.links if one.state != "period"),
            *(_opens(one.short_id, one, f"{one.collection}/{one.path}", 0, SAME) for one in about.duplicates),
            *_facts(about),
        ]

    def _similar(self, client: Client) -> Iterator[Choice]:
        try:
            for hit in client.call(operations.find.similar, self._document.id, ALIKE).hits:
                line = hit.chunk.start_line
                yield _opens(f"{hit.score:.3f}", hit.document, hit.document.path, line, SIMILAR)
        except ArkError as error:
            yield Choice(error.what, group=SIMILAR)


def target(choice: Choice) -> tuple[str, int]:
    """The document of a choice, and a line in it."""
    document, _, line = choice.name.partition(":")
    return document, int(line)


def _row(name: str, text: str, about: str = "", to: str = "", group: str = DOCUMENT) -> Choice:
    return Choice(f"{name:<{NAMES}} {text}", about, to, "" if to else text, group=group)


def _opens(name: str, document: Document, about: str, line: int, group: str) -> Choice:
    return _row(name, document.title, about, f"{document.id}:{line}", group)


def _backlink(one: Backlink) -> Choice:
    link = one.link
    if link.document is None:
        return _row(link.relation, link.target, group=BACKLINKS)
    place = f"{link.document.path}:{link.line}" if link.line else link.document.path
    choice = _opens(link.relation, link.document, place, link.line, BACKLINKS)
    return choice._replace(preview=one.snippet)


def _link(link: Link) -> Choice:
    if link.document is not None:
        anchor = f"#{link.anchor}" if link.anchor else ""
        return _opens(link.relation, link.document, link.document.path + anchor, 0, LINKS)
    state = f"one of {len(link.candidates)}" if link.candidates else strings.LINK_BROKEN
    return _row(link.relation, link.target, group=LINKS)._replace(state=state)


def _facts(about: About) -> Iterator[Choice]:
    document, known = about.document, about.particulars
    yield _row("title", document.title)
    yield _row("id", f"{document.short_id}  ({document.id})")
    yield _row("collection", document.collection)
    yield _row("path", f"{document.path}#{document.item}" if document.item else document.path)
    yield _row("file", about.file or strings.FACT_NO_FILE)
    yield _row("date", f"{document.date}, from {_origin(document)}" if document.date else "none")
    yield _row("tags", ", ".join(_tags(known)) or "none")
    yield _row("tier, type", f"{document.tier}, {document.type}")
    yield from _states(about)
    yield from _sizes(known)
    for key, value in about.front_matter:
        yield _row(key, value, "front matter")


def _origin(document: Document) -> str:
    return {"modified": "the file's modification time", "given": "the import"}.get(
        document.date_source, f"its {document.date_source}"
    )


def _tags(known: Particulars) -> Iterator[str]:
    origins: dict[str, list[str]] = {}
    for tag, origin in known.tags:
        origins.setdefault(tag, []).append(origin)
    for tag, given in origins.items():
        yield f"{tag} (yours)" if given == ["user"] else tag


def _states(about: About) -> Iterator[Choice]:
    document = about.document
    states = {
        "pinned": document.pinned,
        strings.STATE_STALE: document.stale and not document.away,
        strings.STATE_AWAY: document.away,
        strings.STATE_TRASHED: document.trashed,
    }
    if document.status:
        yield _row("status", document.status)
    if any(states.values()):
        yield _row("state", ", ".join(name for name, so in states.items() if so))
    if document.superseded_by:
        yield _row("superseded by", document.superseded_by)
    for link in (*about.links, *(backlink.link for backlink in about.backlinks)):
        if link.relation == "contradicts" and link.document is not None:
            way = "contradicts" if link.direction == "out" else "contradicted by"
            yield _opens(way, link.document, link.document.path, 0, DOCUMENT)


def _sizes(known: Particulars) -> Iterator[Choice]:
    text = ((known.characters, "character"), (known.chunks, "chunk"), (known.tokens, "token"))
    yield _row("text", ", ".join(counted(count, what) for count, what in text))
    if known.size >= 0:
        saved = f", saved {moment(known.modified)}" if known.modified else ""
        yield _row("size", f"{counted(known.size, 'byte')}{saved}")
    yield _row("indexed", f"{moment(known.added)}, changed {moment(known.changed)}")
    yield _row("format", known.format)
    if known.source:
        yield _row("source", known.source)
    if known.notice:
        yield _row("notice", known.notice)
