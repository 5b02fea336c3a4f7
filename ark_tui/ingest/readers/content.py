"""The result of a reader: extracted text, its structure, and the file's metadata."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ark_tui.ingest.decode import Unreadable, storable
from ark_tui.ingest.markdown import HEADING, Block

LARGEST = 16 << 20  # characters of one text
COLUMNS = 20  # column names shown in a heading
PLACE = 9  # level of location headings (page, slide, sheet), below all real headings


@dataclass(frozen=True, slots=True)
class Content:
    """A text with its blocks. `date`: ISO 8601, or as written; `item`: id among several texts of a file."""

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    date: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()
    item: str = ""

    @classmethod
    def of(cls, given: dict[str, Any]) -> Content:
        """Restore from the JSON form of `asdict`. Replaces unstorable characters without changing lengths."""
        return cls(
            **{
                **given,
                **{key: storable(given[key]) for key in ("text", "title", "date", "item")},
                "blocks": tuple(Block(*block) for block in given["blocks"]),
                "fields": tuple((storable(key), storable(value)) for key, value in given["fields"]),
                "notices": tuple(given["notices"]),
            }
        )


class Text:
    """Builds a text and its blocks paragraph by paragraph."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []

    def say(self, text: str, gap: str = "\n\n") -> None:
        """Add a paragraph; a different `gap` continues the previous one."""
        words = text.strip(" \r\n")
        if words.strip():
            self._add(words, gap)
            self._blocks.append(Block(self._length - len(words)))

    def heading(self, label: str, level: int) -> None:
        """Add a heading that is part of the text."""
        words = " ".join(label.split())
        if words:
            self._add(words, "\n\n")
            self._blocks.append(Block(self._length - len(words), HEADING, level, words))

    def place(self, label: str, level: int = PLACE) -> None:
        """Add a heading that is not part of the text, such as a page number, for the text that follows."""
        self._blocks.append(Block(self._length + 2 * bool(self._length), HEADING, level, label))

    def take(self, text: str, blocks: Sequence[Block], below: int = 0) -> None:
        """Add a finished text with its blocks; its headings move `below` levels down."""
        if text.strip():
            self._add(text, "\n\n")
            start = self._length - len(text)
            self._blocks += [
                block._replace(start=start + block.start, level=block.level and block.level + below)
                for block in blocks
            ]

    def table(self, rows: Iterable[Iterable[str]]) -> None:
        """Add rows as lines; a first row of column names also becomes a heading."""
        first = True
        for row in rows:
            cells = [" ".join(cell.split()) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if not cells:
                continue
            numbers = any(cell.replace(".", "").replace("-", "").isdigit() for cell in cells)
            if first and len(cells) > 1 and all(cells) and not numbers:
                self.place(", ".join(cells[:COLUMNS]), 8)
            self.say("\t".join(cells), "\n\n" if first else "\n")
            first = False

    def content(self, **said: Any) -> Content:
        """The finished content, with metadata as keywords. Raises `Unreadable` if there is no text."""
        if not self._length:
            raise Unreadable("no text in it")
        blocks = (block for block in self._blocks if block.start < self._length)
        return Content("".join(self._parts), tuple(blocks), **said)

    def _add(self, words: str, gap: str) -> None:
        gap = gap if self._length else ""
        self._parts += [gap, words]
        self._length += len(gap) + len(words)
        if self._length > LARGEST:
            raise Unreadable(f"its text has more than {LARGEST >> 20} million characters")
