"""Markdown parsed into blocks, with the source offset of every visible character.

Uses pyromark like ingest, so that links and fences are recognized identically. (markdown-it-py has no offsets
within a line, but matches have to be located in the visible text.) Front matter becomes one row of fields.
HTML tags and comments are dropped; their text is kept. The raw form shows everything.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from pyromark import Markdown, Options

from ark_tui.interfaces.tui.reading.text import Piece, Styles, cut, joined

Kind = Literal["text", "heading", "code", "table", "rule", "chips"]
"""Kinds of blocks. `chips` is front matter, in one row."""

LONGEST = 10_000
"""Maximum length of a line that is parsed for markup, in characters; longer ones are not handwritten."""

BULLETS = "•◦▪"
DONE, OPEN = "☑", "☐"
BAR = "▌ "

_FRONT = re.compile(r"---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(
    r"^(?:(?P<key>[^\s:#][^:\n]*):|[ \t]+(?:-[ \t]+)?|-[ \t]+(?!-))[ \t]*(?P<value>\S.*?)?[ \t]*\r?$",
    re.MULTILINE,
)
"""A field of front matter, or the continuation of one."""

_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[/!?]?[A-Za-z][^>]*>", re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_CALLOUT = re.compile(r"\[!(\w+)\][+-]?[ ]?")
_STYLES: dict[str, Styles] = {"Emphasis": ("emphasis",), "Strong": ("strong",), "Strikethrough": ("strike",)}
_OPTIONS = (
    Options.ENABLE_WIKILINKS
    | Options.ENABLE_TABLES
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_GFM
)


@dataclass(slots=True)
class Table:
    """Rows of cells; the first row is the header. Rows may have fewer cells than there are alignments."""

    aligns: tuple[str, ...]  # Left, Right, Center, None
    rows: list[list[list[Piece]]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of each row, as document offset


@dataclass(slots=True)
class Block:
    """A block, such as a paragraph, heading or fence."""

    kind: Kind
    start: int
    pieces: list[Piece] = field(default_factory=list)
    first: str = ""  # prefix of its first row: a bullet, the bar of a quote
    rest: str = ""  # prefix of its other rows, equally wide
    gap: str | None = None  # prefix of the blank row above it; None without a blank row
    level: int = 0  # level of a heading, 1 to 6
    language: str = ""
    table: Table | None = None


class Heading(NamedTuple):
    """A heading or, in source code, a symbol."""

    level: int
    text: str
    start: int


class Linked(NamedTuple):
    """A link with its source range `[start:end]`. Its visible text begins at `shown`."""

    start: int
    end: int
    target: str
    wiki: bool
    label: str
    shown: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Built:
    """A parsed document. Headings and links are in text order."""

    blocks: tuple[Block, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Linked, ...] = ()


def build(text: str) -> Built:
    """Parse a document whose control characters were replaced (`domain.display.visible`)."""
    front = _FRONT.match(text)
    begin = front.end() if front else 0
    builder = _Builder(text)
    if front:
        builder.front_matter(begin)
    shown = "\n".join("x" * len(line) if len(line) > LONGEST else line for line in text[begin:].split("\n"))
    places = None if shown.isascii() else _characters(shown)
    for event, span in _parser().events_with_range(shown):
        start, end = span["start"], span["end"]
        if places is not None:
            start, end = places[start], places[end]
        builder.take(event, begin + start, begin + end)
    return Built(tuple(builder.blocks), tuple(builder.headings), tuple(builder.links))


def _characters(text: str) -> array[int]:
    """For every byte offset of the UTF-8 text, the number of characters before it."""
    counts = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))
    return array("l", accumulate(text.encode().translate(counts), initial=0))


@cache
def _parser() -> Markdown:
    return Markdown(options=_OPTIONS)


@dataclass(slots=True)
class _Holder:
    """A list item, quote or footnote: the prefixes of its rows."""

    first: str
    rest: str
    used: bool = False


class _Builder:
    """Processes the parser's events in order. Offsets refer to the document."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self.links: list[Linked] = []
        self.holders: list[_Holder] = []
        self.lists: list[int | None] = []  # the next number of each open list; None: bullets
        self.styles: list[Styles] = [()]
        self.open_links: list[tuple[int, str, bool]] = []  # first piece, target, is wiki link
        self.block: Block | None = None  # the block being built
        self.table: Table | None = None
        self.last = 0  # end of the last block
        self.said = 0  # end of the last text

    def take(self, event: Mapping[str, Any] | str, start: int, end: int) -> None:
        if isinstance(event, str):
            self._mark(event, start, end)
            return
        ((kind, value),) = event.items()
        if kind == "Start":
            name, about = (value, None) if isinstance(value, str) else next(iter(value.items()))
            self._open(name, about, start)
        elif kind == "End":
            self._close(value if isinstance(value, str) else next(iter(value)), start, end)
        else:
            self._words(kind, value, start, end)

    def _open(self, name: str, about: Any, start: int) -> None:  # noqa: C901 - a case for each kind
        match name:
            case "Paragraph" | "TableCell" | "HtmlBlock":
                self._begin(Block("text", start))
            case "Heading":
                self._begin(Block("heading", start, level=int(about["level"][1])))
            case "CodeBlock":
                words = about["Fenced"].split(maxsplit=1) if isinstance(about, dict) else []
                self._begin(Block("code", start, language=words[0].strip("{}.,").lower() if words else ""))
            case "List":
                self._finish(start)
                self.lists.append(about if isinstance(about, int) else None)
            case "Item" | "BlockQuote" | "FootnoteDefinition":
                self._hold(name, about, start)
            case "Table":
                self._finish(start)
                self.table = Table(tuple(about))
            case "TableHead" | "TableRow" if self.table is not None:
                self.table.rows.append([])
                self.table.starts.append(start)
            case "Link" | "Image":
                self._open_link(name, about, start)
            case _ if name in _STYLES:
                self.styles.append(self.styles[-1] + _STYLES[name])

    def _close(self, name: str, start: int, end: int) -> None:  # noqa: C901 - a case for each kind
        match name:
            case "Paragraph" | "Heading" | "CodeBlock":
                self._finish(end)
            case "HtmlBlock":
                self._finish_html(end)
            case "Item" | "BlockQuote" | "FootnoteDefinition":
                self._finish(end)
                if not self.holders[-1].used:  # an empty item counts as an item
                    self._add(Block("text", start), end)
                self.holders.pop()
            case "List":
                self.lists.pop()
            case "TableCell" if self.table is not None and self.block is not None:
                self.table.rows[-1].append(self.block.pieces)
                self.block = None
            case "Table":
                table, self.table = self.table, None
                self._add(Block("table", start, table=table), end)
            case "Link" | "Image":
                self._close_link(start, end)
            case _ if name in _STYLES:
                self.styles.pop()

    def _hold(self, name: str, about: Any, start: int) -> None:
        self._finish(start)
        first = BAR
        if name == "FootnoteDefinition":
            first = f"[{about}] "
        elif name == "Item":
            number = self.lists[-1] if self.lists else None
            if number is None:
                first = f"{BULLETS[(sum(one is None for one in self.lists) - 1) % len(BULLETS)]} "
            else:
                first = f"{number}. "
                self.lists[-1] = number + 1
        rest = BAR if name == "BlockQuote" else " " * min(len(first), 6)
        self.holders.append(_Holder(first, rest))
        if name == "BlockQuote" and isinstance(about, str):  # `> [!NOTE]`
            self._add(Block("text", start, [Piece(about, ("strong",), start)]), start + 1)

    def _begin(self, block: Block) -> None:
        self._finish(block.start)
        self.block = block

    def _finish(self, end: int) -> None:
        """Complete the current block."""
        block, self.block = self.block, None
        if block is None or (block.kind == "text" and not joined(block.pieces).strip()):
            return  # nothing remains, as of an HTML anchor
        if block.kind == "text":
            end = min(end, self.said)
        if block.kind == "code" and block.pieces and block.pieces[-1].text.endswith("\n"):
            block.pieces[-1] = block.pieces[-1]._replace(text=block.pieces[-1].text[:-1])
        if block.kind == "heading":
            self.headings.append(Heading(block.level, " ".join(joined(block.pieces).split()), block.start))
        if block.kind == "text" and self.holders and self.holders[-1].first == BAR:
            block.pieces = _callout(block.pieces, block.start)
        self._add(block, end)

    def _finish_html(self, end: int) -> None:
        """The text of an HTML block without tags and comments; nothing if it has none."""
        block = self.block
        if block is None:
            return
        written = joined(block.pieces)
        spans, at = list[tuple[int, int]](), 0
        for tag in _TAG.finditer(written):
            spans.append((at, tag.start()))
            at = tag.end()
        kept = [piece for part in cut(block.pieces, [*spans, (at, len(written))]) for piece in part]
        text = joined(kept)
        (block.pieces,) = cut(kept, [(len(text) - len(text.lstrip()), len(text.rstrip()))])
        self._finish(end)

    def _add(self, block: Block, end: int) -> None:
        """Append a block, with the prefixes of its rows and of a blank row above it."""
        own = self.text[self.last - 1 : self.last] == "\n"  # the newline that ends the last block
        blank = self.text.count("\n", self.last - own, block.start) > 1
        underlined = bool(self.blocks) and self.blocks[-1].level in (1, 2)  # its line serves as the blank row
        if self.blocks and not underlined and (blank or block.kind in {"heading", "table"}):
            block.gap = "".join(holder.rest for holder in self.holders if holder.used).rstrip()
        block.rest = "".join(holder.rest for holder in self.holders)
        block.first = "".join(holder.rest if holder.used else holder.first for holder in self.holders)
        for holder in self.holders:
            holder.used = True
        self.blocks.append(block)
        self.last = max(self.last, end)

    def front_matter(self, end: int) -> None:
        """The fields of the front matter without the title, in one row: `tier wiki · tags graphs, theory`."""
        pieces, fresh = list[Piece](), True
        for line in _FIELD.finditer(self.text, 0, end):
            if line["key"] == "title":
                continue  # the title is above the document
            if line["key"]:
                between = " · " if pieces else ""
                pieces.append(Piece(between, (), line.start()))
                pieces.append(Piece(f"{line['key']} ", ("muted",), line.start("key")))
                fresh = True
            elif not fresh:
                pieces.append(Piece(", ", (), line.start("value")))
            if line["value"]:
                pieces.append(Piece(line["value"], (), line.start("value"), verbatim=True))
                fresh = False
        if pieces:
            self._add(Block("chips", 0, pieces), end)
        self.last = end

    def _words(self, kind: str, value: Any, start: int, end: int) -> None:
        if kind == "TaskListMarker":
            self._task(done=bool(value))
        elif kind == "InlineHtml":
            if _BREAK.fullmatch(value):
                self._mark("HardBreak", start, end)
        elif kind == "Code":
            found = self.text.find(value, start, end)
            self._put(value, *((found, found + len(value)) if found >= 0 else (start, end)), ("code",))
        elif kind == "FootnoteReference":
            self._put(f"[{value}]", start, end, ("link",))
        elif kind == "Html" and "&" in value:
            self._put(html.unescape(value), start, end)
        else:
            self._put(value, start, end)

    def _put(self, value: str, start: int, end: int, styles: Styles = ()) -> None:
        """Append text. If it differs from the source (an entity, for example), it is not verbatim."""
        if self.block is None:
            self._begin(Block("text", start))
        assert self.block is not None
        verbatim = len(value) == end - start and (value == self.text[start:end] or len(value) > LONGEST)
        words = self.text[start:end] if verbatim else value
        if self.block.kind == "heading" or (styles == ("code",) and self.block.kind == "text"):
            words = words.replace("\n", " ")
        self._piece(Piece(words, self.styles[-1] + styles, start, verbatim))
        self.said = max(self.said, end)

    def _piece(self, piece: Piece) -> None:
        """Append a piece, merged with the last one if it continues that."""
        assert self.block is not None
        pieces = self.block.pieces
        last = pieces[-1] if pieces and not self.open_links else None
        goes_on = last is not None and last.verbatim and piece.verbatim and last.styles == piece.styles
        if goes_on and last is not None and last.source + len(last.text) == piece.source:
            pieces[-1] = last._replace(text=last.text + piece.text)
        elif piece.text:
            pieces.append(piece)

    def _mark(self, event: str, start: int, end: int) -> None:
        if event == "Rule":
            self._finish(start)
            self._add(Block("rule", start), end)
        elif self.block is not None:
            hard = event == "HardBreak" and self.table is None and self.block.kind == "text"
            self._piece(Piece("\n" if hard else " ", self.styles[-1], start))

    def _task(self, *, done: bool) -> None:
        if self.holders and not self.holders[-1].used:
            holder = self.holders[-1]
            box = f"{DONE if done else OPEN} "
            holder.first = box if holder.first.strip() in BULLETS else holder.first + box
            holder.rest = " " * len(holder.first)

    def _open_link(self, name: str, about: Any, start: int) -> None:
        if self.block is None:
            self._begin(Block("text", start))
        assert self.block is not None
        self.styles.append((*self.styles[-1], "link"))
        self.open_links.append(
            (len(self.block.pieces), about["dest_url"], isinstance(about["link_type"], dict))
        )
        if name == "Image":
            self._piece(Piece("▣ ", self.styles[-1], start))

    def _close_link(self, start: int, end: int) -> None:
        first, target, wiki = self.open_links.pop()
        assert self.block is not None
        pieces = self.block.pieces
        if not joined(pieces[first:]).strip("▣ "):  # without text: show the target
            self._piece(Piece(target or "picture", self.styles[-1], start))
        self.styles.pop()
        self.said = max(self.said, end)
        label = " ".join(joined(pieces[first:]).removeprefix("▣ ").split())
        written = [one for one in pieces[first:] if one.verbatim]
        shown = (written[0].source, written[-1].source + len(written[-1].text)) if written else (start, start)
        self.links.append(Linked(start, end, target, wiki, label, shown))


def _callout(pieces: Sequence[Piece], start: int) -> list[Piece]:
    """An Obsidian callout such as `> [!info] Title`: its kind and title get their own row."""
    text = joined(pieces)
    found = _CALLOUT.match(text)
    if found is None:
        return list(pieces)
    (rest,) = cut(pieces, [(found.end(), len(text))])
    broken = [one._replace(text="\n") if one.text == " " and not one.verbatim else one for one in rest[:4]]
    return [Piece(f"{found[1].capitalize()} ", ("strong",), start), *broken, *rest[4:]]
