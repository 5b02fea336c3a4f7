"""One document above any screen: its text, or its links, similar documents and metadata."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual import getters, on

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import NotFound
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.curating import Curating, Reads
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.dialogs import Target
from ark_tui.interfaces.tui.state.messages import Curated
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult

    from ark_tui.domain.documents import Document, Link, Passage
    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.reading import About, Backlink, Particulars
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.colours import Name
    from ark_tui.interfaces.tui.state.context import PaneContext


Lines: TypeAlias = tuple[int, int]
"""First and last line of a passage, from 1, inclusive."""

NO_LINES: Lines = (1, 0)

ELSEWHERE = {"turn", "density", "better", "worse", "weigh", "mark", "merge"}
"""Actions on hits and lists of documents, which do not apply to a single document."""


def passage(client: Client, document: str, chunk: str, query: str) -> tuple[Passage, Lines]:
    """Read a document and the lines of one of its chunks.

    A chunk that no longer exists marks no lines. Raises `ArkError`.
    """
    whole = client.call(operations.workbench.text, document, query)
    lines = NO_LINES
    if chunk:
        with suppress(NotFound):
            piece = client.call(operations.workbench.text, chunk)
            lines = piece.start_line, piece.end_line
    return whole, lines


class OneDocument(Reads, Curating):
    """A reader without a list. Actions apply to its document, also after following links."""

    SCOPES: ClassVar[actions.Scopes] = ("hits", "curation")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("hits")

    reader = getters.query_one(Reader)

    def __init__(self, context: PaneContext) -> None:
        super().__init__()
        self.context = context

    def compose(self) -> ComposeResult:
        yield Reader(self.context)

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        return action not in ELSEWHERE

    @property
    def rows(self) -> None:
        """None: there is no list."""
        return None

    def _here(self) -> Document | None:
        return self._read_or_say()

    def use(self, document: str, kind: AccessKind) -> None:
        self.request(act(operations.workbench.opened, document, kind), group="uses", exclusive=False)


class ReadingScreen(Dialog[None]):
    """A reader above any screen. Closing it returns there."""

    AUTO_FOCUS = "Reader"

    reader = getters.query_one(Reader)

    def __init__(
        self, context: PaneContext, passage: Passage, lines: Lines = NO_LINES, query: str = ""
    ) -> None:
        """`lines`: the lines to mark and scroll to. `query`: the query of the passage."""
        super().__init__(context)
        self._passage = passage
        self._lines = lines
        self._query = query

    def compose(self) -> ComposeResult:
        yield OneDocument(self.context)

    def on_mount(self) -> None:
        self.call_after_refresh(self.reader.read, self._passage, self._lines, self._query)

    @on(Curated)
    def _curated(self) -> None:
        """Reload the document's metadata and notify the workbench."""
        self.reader.again()
        self.context.tell(Curated())


ALIKE = 8
"""Maximum similar documents."""

NAMES = 16
"""Maximum width of the column of names in cells."""


class Row(NamedTuple):
    """A line of the list."""

    name: str
    text: str
    aside: str = ""  # right-aligned
    target: Target | None = None
    heading: bool = False
    style: Name = "gutter"  # style of the text; `gutter`: as in other rows


class Facts(Rows[Row]):
    """Sections of rows. Rows with a target can be opened."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("facts")
    SCOPES: ClassVar[actions.Scopes] = ("facts", "move")

    def __init__(self) -> None:
        super().__init__("facts")
        self.sections: dict[str, list[Row]] = {}

    def fill(self, sections: dict[str, list[Row]]) -> None:
        """Fill some sections; the others and the cursor do not change."""
        self.sections.update(sections)
        rows: list[Row] = []
        for title, found in self.sections.items():
            rows += [Row("", "")] if rows else []
            size = sum(one.target is not None and bool(one.name) for one in found)
            rows += [Row(f"{title} · {size}" if size else title, "", heading=True), *found]
        first = not self.rows
        self.put(rows, keep=True)
        if first:
            self.cursor = 1

    def pieces(self, row: Row, _part: int, width: int) -> list[ink.Piece]:
        if row.heading:
            return [(row.name, self.ink("heading"))]
        names, text = min(NAMES, width // 4), visible_line(row.text)
        room = max(width - names - cell_len(text) - 2, width // 4)  # a title has priority over a path
        aside = ink.shorten_start(visible_line(row.aside), room)
        name = set_cell_size(ink.shorten(visible_line(row.name), names - 1), names)
        text = ink.shorten(text, width - names - cell_len(aside) - 2)
        style = Style.null() if row.style == "gutter" else self.ink(row.style)
        return ink.justified([(name, self.ink("muted")), (text, style)], [(aside, self.ink("muted"))], width)

    def action_next_section(self) -> None:
        self._to_section(range(self.cursor + 1, self.count))

    def action_previous_section(self) -> None:
        self._to_section(range(self.cursor - 1, -1, -1))

    def _to_section(self, rows: range) -> None:
        found = next((row for row in rows if self.rows[row].heading), None)
        if found is not None:
            self.move_to(found)


class AboutScreen(Dialog[Target]):
    """Returns the document to open. The contents are looked up in threads."""

    AUTO_FOCUS = "Facts"

    facts = getters.query_one(Facts)

    def __init__(self, context: PaneContext, document: Document) -> None:
        super().__init__(context)
        self._document = document

    def compose(self) -> ComposeResult:
        with self.box(f"About “{self._document.title}”", strings.ABOUT_KEYS):
            yield Facts()

    def on_mount(self) -> None:
        waiting = [Row("", "loading …", style="muted")]
        self.facts.fill(dict.fromkeys((LINKED_FROM, RELATED, LEADS_TO, SAME, DOCUMENT), waiting))
        self.home_changed()

    def home_changed(self) -> None:
        """Look everything up again, so that changes in the meantime are shown."""
        about, similar = operations.workbench.about, operations.find.similar
        self.request(
            act(about, self._document.id),
            lambda found: self.facts.fill(_sections(found)),
            lambda error: self._failed((LINKED_FROM, LEADS_TO, SAME, DOCUMENT), error, "error"),
            group="about",
        )
        self.request(
            act(similar, self._document.id, ALIKE),
            lambda found: self.facts.fill({RELATED: _alike(found)}),
            lambda error: self._failed((RELATED,), error, "muted"),
            group="alike",
        )

    def _failed(self, titles: tuple[str, ...], error: ArkError, style: Name) -> None:
        self.facts.fill({title: [Row("", error.what, style=style)] for title in titles})

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        row = self.facts.here
        if row is not None and row.target is not None:
            self.dismiss(row.target)


LINKED_FROM, RELATED, LEADS_TO, SAME, DOCUMENT = (
    "Backlinks",
    "Similar documents",
    "Links",
    "Duplicates",
    "Document",
)


def _sections(about: About) -> dict[str, list[Row]]:
    nothing = Row("", "nothing", style="muted")
    return {
        LINKED_FROM: [row for backlink in about.backlinks for row in _backlink(backlink)] or [nothing],
        LEADS_TO: [_link(link) for link in about.links if link.state != "period"] or [nothing],
        SAME: [_document(duplicate) for duplicate in about.duplicates] or [nothing],
        DOCUMENT: list(_facts(about)),
    }


def _backlink(one: Backlink) -> Iterator[Row]:
    link = one.link
    if link.document is not None:
        line = f":{link.line}" if link.line else ""
        place = f"{link.document.path}{line}"
        yield Row(link.relation, link.document.title, place, (link.document.id, link.line))
        if one.snippet:
            yield Row("", one.snippet, target=(link.document.id, link.line), style="muted")


def _link(link: Link) -> Row:
    if link.document is not None:
        anchor = f"#{link.anchor}" if link.anchor else ""
        return Row(link.relation, link.document.title, link.document.path + anchor, (link.document.id, 0))
    if link.candidates:
        return Row(link.relation, link.target, f"one of {len(link.candidates)}", style="warning")
    return Row(link.relation, link.target, strings.LINK_BROKEN, style="warning")


def _document(one: Document) -> Row:
    return Row(one.short_id, one.title, f"{one.collection}/{one.path}", (one.id, 0))


def _alike(result: SearchResult) -> list[Row]:
    rows = [
        Row(
            f"{hit.score:.3f}", hit.document.title, hit.document.path, (hit.document.id, hit.chunk.start_line)
        )
        for hit in result.hits
    ]
    return rows or [Row("", "nothing", style="muted")]


def _facts(about: About) -> Iterator[Row]:
    document, known = about.document, about.particulars
    yield Row("title", document.title)
    yield Row("id", f"{document.short_id}  ({document.id})")
    yield Row("collection", document.collection)
    yield Row("path", f"{document.path}#{document.item}" if document.item else document.path)
    yield Row("file", about.file or strings.FACT_NO_FILE)
    date = f"{document.date}, from {_origin(document)}" if document.date else "none"
    yield Row("date", date)
    yield Row("tags", ", ".join(_tags(known)) or "none")
    yield Row("tier, type", f"{document.tier}, {document.type}")
    yield from _states(about)
    yield from _sizes(known)
    for key, value in about.front_matter:
        yield Row(key, value, "front matter")


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


def _states(about: About) -> Iterator[Row]:
    document = about.document
    states = [
        ("pinned", document.pinned),
        (strings.STATE_STALE, document.stale and not document.away),
        (strings.STATE_AWAY, document.away),
        (strings.STATE_TRASHED, document.trashed),
    ]
    said: Sequence[str] = [name for name, so in states if so]
    if document.status:
        yield Row("status", document.status)
    if said:
        yield Row("state", ", ".join(said), style="warning")
    if document.superseded_by:
        yield Row("superseded by", document.superseded_by, style="warning")
    links = [*about.links, *(backlink.link for backlink in about.backlinks)]
    for link in links:
        if link.relation == "contradicts" and link.document is not None:
            way = "contradicts" if link.direction == "out" else "contradicted by"
            yield Row(way, link.document.title, link.document.path, (link.document.id, 0), style="warning")


def _sizes(known: Particulars) -> Iterator[Row]:
    text = ((known.characters, "character"), (known.chunks, "chunk"), (known.tokens, "token"))
    yield Row("text", ", ".join(counted(count, what) for count, what in text))
    if known.size >= 0:
        saved = f", saved {moment(known.modified)}" if known.modified else ""
        yield Row("size", f"{counted(known.size, 'byte')}{saved}")
    yield Row("indexed", f"{moment(known.added)}, changed {moment(known.changed)}")
    yield Row("format", known.format)
    if known.source:
        yield Row("source", known.source)
    if known.notice:
        yield Row("notice", known.notice, style="warning")
