"""Markdown read into blocks, with the place in the document of every letter that is shown.

The parser is that of ingest, so that what is a link or a fence there is one here. Nothing that it leaves out
is hidden: HTML and definitions of links are blocks that are shown as they are written, front matter is one
row of its fields, as many as fit; the raw form shows all of it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

from pyromark import Markdown, Options

from ark_tui.interfaces.tui.reading.blocks import (
    UNDERLINED,
    Align,
    Block,
    Built,
    Cell,
    Heading,
    Kind,
    Linked,
    Run,
    Styles,
    Table,
)

LONGEST = 10_000
"""Characters of a line beyond which nothing in it is markup: nobody has written that by hand."""

BULLETS = "•◦▪"
DONE, OPEN = "☑", "☐"
BAR = "▌ "

_FRONT = re.compile(r"---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(
    r"^(?:(?P<key>[^\s:#][^:\n]*):|[ \t]+(?:-[ \t]+)?|-[ \t]+(?!-))[ \t]*(?P<value>\S.*?)?[ \t]*\r?$",
    re.MULTILINE,
)
"""A field of front matter, or a line that goes on with the one before."""

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_STYLES: dict[str, Styles] = {"Emphasis": ("emphasis",), "Strong": ("strong",), "Strikethrough": ("strike",)}
_ALIGNS: dict[str, Align] = {"Right": "right", "Center": "center"}

Event = Mapping[str, Any] | str


def build(text: str, start: int = 0, end: int | None = None) -> Built:
    """Read a document, harmless already (`domain.display.visible`), or a stretch of it."""
    front = _FRONT.match(text) if start == 0 else None
    begin = front.end() if front else start
    builder = _Builder(text, begin)
    if front:
        builder.front_matter(begin)
    shown = _plain(text[begin:end])
    places = None if shown.isascii() else _characters(shown)
    for event, span in _parser().events_with_range(shown):
        first, last = span["start"], span["end"]
        if places is not None:
            first, last = places[first], places[last]
        builder.take(event, begin + first, begin + last)
    return builder.built(begin + len(shown))


def _plain(text: str) -> str:
    """The text with its longest lines blotted out, so that the parser finds nothing in them."""
    lines = text.split("\n")
    if max(map(len, lines)) <= LONGEST:
        return text
    return "\n".join("x" * len(line) if len(line) > LONGEST else line for line in lines)


def _characters(text: str) -> array[int]:
    """For every byte of a text in UTF-8 the number of characters before it."""
    counts = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))
    leads = text.encode().translate(counts)
    return array("l", accumulate(leads, initial=0))


@cache
def _parser() -> Markdown:
    return Markdown(
        options=Options.ENABLE_WIKILINKS
        | Options.ENABLE_TABLES
        | Options.ENABLE_TASKLISTS
        | Options.ENABLE_STRIKETHROUGH
        | Options.ENABLE_FOOTNOTES
        | Options.ENABLE_GFM
    )


@dataclass(slots=True)
class _Holder:
    """A list item, a quote or a footnote: what stands before the rows of what is in it."""

    first: str
    rest: str
    used: bool = False


class _Leaf:
    """Text that is being gathered."""

    def __init__(self, kind: Kind, start: int, level: int = 0, language: str = "") -> None:
        self.kind = kind
        self.start = start
        self.level = level
        self.language = language
        self.texts: list[str] = []
        self.runs: list[Run] = []
        self.length = 0
        self.end = start

    def add(self, text: str, source: int, styles: Styles, *, verbatim: bool) -> None:
        if not text:
            return
        last = self.runs[-1] if self.runs else None
        follows = (
            last is not None
            and last.verbatim
            and verbatim
            and last.styles == styles
            and last.source + self.length - last.at == source
        )
        if not follows:
            self.runs.append(Run(self.length, source, styles, verbatim))
        self.texts.append(text)
        self.length += len(text)


class _Builder:
    """Takes the parser's events one by one. Places are those of the document."""

    def __init__(self, text: str, begin: int) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self.links: list[Linked] = []
        self.holders: list[_Holder] = []
        self.lists: list[int | None] = []  # the next number of each list that we are in; None: bullets
        self.styles: list[Styles] = [()]
        self.open_links: list[tuple[int, str, bool, int, int]] = []
        self.leaf: _Leaf | None = None
        self.table: Table | None = None
        self.depth = 0
        self.covered = begin  # up to here everything is in a block
        self.last = begin  # where the last block ends
        self.openers: dict[str, Callable[[Any, int, int], None]] = {
            "Heading": self._heading,
            "CodeBlock": self._code,
            "BlockQuote": self._quote,
            "List": self._list,
            "FootnoteDefinition": self._footnote,
            "Table": self._table,
            "TableHead": self._row,
            "TableRow": self._row,
            "TableCell": self._paragraph,
            "Paragraph": self._paragraph,
            "HtmlBlock": self._html,
            "Item": self._item,
            "Link": self._link,
            "Image": self._picture,
        }
        self.closers: dict[str, Callable[[int, int], None]] = {
            **dict.fromkeys(("Paragraph", "HtmlBlock", "Heading", "CodeBlock"), self._end_leaf),
            **dict.fromkeys(("Item", "BlockQuote", "FootnoteDefinition"), self._end_holder),
            **dict.fromkeys(("Link", "Image"), self._end_link),
            "List": self._end_list,
            "TableCell": self._end_cell,
            "Table": self._end_table,
        }

    def take(self, event: Event, start: int, end: int) -> None:
        if isinstance(event, str):
            self._mark(event, start, end)
            return
        ((kind, value),) = event.items()
        if kind == "Start":
            self._open(value, start, end)
        elif kind == "End":
            self._close(value if isinstance(value, str) else next(iter(value)), start, end)
        else:
            self._words(kind, value, start, end)

    def built(self, end: int) -> Built:
        self._left_out(end)
        return Built(tuple(self.blocks), tuple(self.headings), tuple(self.links))

    # -- blocks --------------------------------------------------------------------------------------

    def _open(self, what: Any, start: int, end: int) -> None:
        name, value = (what, None) if isinstance(what, str) else next(iter(what.items()))
        if self.depth == 0:
            self._left_out(start)
            self.covered = end
        self.depth += 1
        if opener := self.openers.get(name):
            opener(value, start, end)
        elif name in _STYLES:
            self.styles.append(self.styles[-1] + _STYLES[name])

    def _close(self, name: str, start: int, end: int) -> None:
        self.depth -= 1
        if closer := self.closers.get(name):
            closer(start, end)
        elif name in _STYLES:
            self.styles.pop()

    def _paragraph(self, value: Any, start: int, end: int) -> None:
        del value, end
        self._start(_Leaf("text", start))

    def _html(self, value: Any, start: int, end: int) -> None:
        del value, end
        self._start(_Leaf("source", start))

    def _row(self, value: Any, start: int, end: int) -> None:
        del value, end
        if self.table is not None:
            self.table.rows.append([])
            self.table.starts.append(start)

    def _end_leaf(self, start: int, end: int) -> None:
        del start
        self._finish(end)

    def _end_holder(self, start: int, end: int) -> None:
        self._finish(end)
        if not self.holders[-1].used:  # an empty item is an item
            self._start(_Leaf("text", start))
            self._finish(end)
        self.holders.pop()

    def _end_list(self, start: int, end: int) -> None:
        del start, end
        self.lists.pop()

    def _end_cell(self, start: int, end: int) -> None:
        del start, end
        if self.table is not None and self.leaf is not None:
            leaf, self.leaf = self.leaf, None
            self.table.rows[-1].append(Cell("".join(leaf.texts), leaf.runs))

    def _end_table(self, start: int, end: int) -> None:
        table, self.table = self.table, None
        self._add(Block("table", start, end, table=table))

    def _heading(self, value: Any, start: int, end: int) -> None:
        del end
        self._start(_Leaf("heading", start, level=int(value["level"][1])))

    def _code(self, value: Any, start: int, end: int) -> None:
        del end
        info = value["Fenced"] if isinstance(value, dict) else ""
        words = info.split(maxsplit=1)
        self._start(_Leaf("code", start, language=words[0].strip("{}.,").lower() if words else ""))

    def _quote(self, value: Any, start: int, end: int) -> None:
        del end
        self._finish(start)
        self.holders.append(_Holder(BAR, BAR))
        if isinstance(value, str):  # `> [!NOTE]`
            leaf = _Leaf("text", start)
            leaf.add(value, start, ("strong",), verbatim=False)
            leaf.end = start + 1
            self._start(leaf)
            self._finish(start + 1)

    def _list(self, value: Any, start: int, end: int) -> None:
        del end
        self._finish(start)
        self.lists.append(value if isinstance(value, int) else None)

    def _item(self, value: Any, start: int, end: int) -> None:
        del value, end
        self._finish(start)
        number = self.lists[-1] if self.lists else None
        if number is None:
            bullets = sum(one is None for one in self.lists)
            first = f"{BULLETS[(bullets - 1) % len(BULLETS)]} "
        else:
            self.lists[-1] = number + 1
            first = f"{number}. "
        self.holders.append(_Holder(first, " " * len(first)))

    def _footnote(self, value: Any, start: int, end: int) -> None:
        del end
        self._finish(start)
        first = f"[{value}] "
        self.holders.append(_Holder(first, " " * min(len(first), 4)))

    def _table(self, value: Any, start: int, end: int) -> None:
        del end
        self._finish(start)
        self.table = Table(tuple(_ALIGNS.get(one, "left") for one in value))

    def _start(self, leaf: _Leaf) -> None:
        if self.leaf is not None:
            self._finish(leaf.start)
        self.leaf = leaf

    def _finish(self, end: int) -> None:
        """The text that is being gathered is a block."""
        leaf, self.leaf = self.leaf, None
        if leaf is None:
            return
        text = "".join(leaf.texts)
        if leaf.kind in {"code", "source"}:
            text = text.removesuffix("\n")
        if leaf.kind == "heading":
            self.headings.append(Heading(leaf.level, " ".join(text.split()), leaf.start))
        self._add(
            Block(leaf.kind, leaf.start, min(end, leaf.end) if leaf.texts and leaf.kind == "text" else end,
                  text, leaf.runs, level=leaf.level, language=leaf.language)
        )  # fmt: skip

    def _add(self, block: Block) -> None:
        """Put a block at the end: what stands before its rows, and whether a blank row does."""
        own = self.text[self.last - 1 : self.last] == "\n"  # the line break that ends the last block
        blank = self.text.count("\n", self.last - own, block.start) > 1
        title = bool(self.blocks) and self.blocks[-1].level in UNDERLINED  # its line is blank enough
        if self.blocks and not title and (blank or block.kind in {"heading", "table"}):
            block.gap = "".join(holder.rest for holder in self.holders if holder.used).rstrip()
        block.rest = "".join(holder.rest for holder in self.holders)
        block.first = "".join(holder.rest if holder.used else holder.first for holder in self.holders)
        for holder in self.holders:
            holder.used = True
        self.blocks.append(block)
        self.last = max(self.last, block.end)

    def front_matter(self, end: int) -> None:
        """The fields of the front matter but its title, in one row: `tier wiki · tags graphs, theory`."""
        leaf, last = _Leaf("chips", 0), 0
        for line in _FIELD.finditer(self.text, 0, end):
            if line["key"] == "title":
                continue  # it stands above the document
            if line["key"]:
                leaf.add(" · " if leaf.texts else "", line.start(), (), verbatim=False)
                leaf.add(f"{line['key']} ", line.start("key"), ("muted",), verbatim=False)
                last = leaf.length
            elif leaf.length > last:
                leaf.add(", ", line.start("value"), (), verbatim=False)
            leaf.add(line["value"], line.start("value"), (), verbatim=True)
        if leaf.texts:
            self._add(Block("chips", 0, end, "".join(leaf.texts), leaf.runs))
        else:
            self.as_written(0, end)
        self.last = max(self.last, end)

    def as_written(self, start: int, end: int) -> None:
        """A block that shows a stretch of the document as it is."""
        while start < end and self.text[start] in "\r\n":
            start += 1
        text = self.text[start:end].rstrip()
        if text:
            styles: Styles = ("muted",)
            self._add(Block("source", start, start + len(text), text, [Run(0, start, styles)]))
        self.last = max(self.last, end)

    def _left_out(self, until: int) -> None:
        """What the parser has passed over at the top level: definitions of links."""
        if self.covered < until and not self.text[self.covered : until].isspace():
            self.as_written(self.covered, until)

    # -- inside blocks -------------------------------------------------------------------------------

    def _words(self, kind: str, value: Any, start: int, end: int) -> None:
        if kind == "TaskListMarker":
            self._task(done=bool(value))
            return
        if self.leaf is None:
            self._start(_Leaf("text", start))
        assert self.leaf is not None
        if kind in {"Html", "InlineHtml"} and _BREAK.fullmatch(value):
            self._mark("HardBreak", start, end)
        elif kind == "Code":
            self._code_words(value, start, end)
        elif kind == "FootnoteReference":
            self._put(f"[{value}]", start, end, ("link",))
        else:
            self._put(value, start, end, ("muted",) if kind in {"Html", "InlineHtml"} else ())

    def _code_words(self, value: str, start: int, end: int) -> None:
        found = self.text.find(value, start, end)
        inside = (found, found + len(value)) if found >= 0 else (start, end)
        self._put(value, *inside, ("code",))

    def _put(self, value: str, start: int, end: int, styles: Styles = ()) -> None:
        """Add words. What differs from the document, an entity for example, is not letter by letter."""
        assert self.leaf is not None
        verbatim = len(value) == end - start and (value == self.text[start:end] or len(value) > LONGEST)
        words = self.text[start:end] if verbatim else value
        if self.leaf.kind in {"text", "heading"}:
            words = words.replace("\n", " ")
        self.leaf.add(words, start, self.styles[-1] + styles, verbatim=verbatim)
        self.leaf.end = max(self.leaf.end, end)

    def _mark(self, event: str, start: int, end: int) -> None:
        if event == "Rule":
            if self.depth == 0:
                self._left_out(start)
                self.covered = end
            self._finish(start)
            self._add(Block("rule", start, end))
        elif self.leaf is not None:
            hard = event == "HardBreak" and self.table is None and self.leaf.kind == "text"
            self.leaf.add("\n" if hard else " ", start, self.styles[-1], verbatim=False)

    def _task(self, *, done: bool) -> None:
        if self.holders and not self.holders[-1].used:
            holder = self.holders[-1]
            box = f"{DONE if done else OPEN} "
            numbered = holder.first.strip() not in BULLETS
            holder.first = holder.first + box if numbered else box
            holder.rest = " " * len(holder.first)

    # -- links ---------------------------------------------------------------------------------------

    def _link(self, value: Any, start: int, end: int) -> None:
        del end
        if self.leaf is None:
            self._start(_Leaf("text", start))
        assert self.leaf is not None
        self.styles.append((*self.styles[-1], "link"))
        wiki = isinstance(value["link_type"], dict)
        self.open_links.append(
            (self.leaf.length, value["dest_url"], wiki, len(self.leaf.texts), len(self.leaf.runs))
        )

    def _picture(self, value: Any, start: int, end: int) -> None:
        self._link(value, start, end)
        assert self.leaf is not None
        self.leaf.add("▣ ", start, self.styles[-1], verbatim=False)

    def _end_link(self, start: int, end: int) -> None:
        at, target, wiki, first, run = self.open_links.pop()
        assert self.leaf is not None
        if len("".join(self.leaf.texts[first:]).strip("▣ ")) == 0:  # no words: where it leads
            self.leaf.add(target or "picture", start, self.styles[-1], verbatim=False)
        self.styles.pop()
        label = " ".join("".join(self.leaf.texts[first:]).removeprefix("▣ ").split())
        runs = [one for one in self.leaf.runs[max(0, run - 1) :] if one.at >= at and one.verbatim]
        shown = (runs[0].source, runs[-1].source + self.leaf.length - runs[-1].at) if runs else (start, start)
        self.links.append(Linked(start, end, target, wiki, label, shown))
        self.leaf.end = max(self.leaf.end, end)
