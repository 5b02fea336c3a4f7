"""What a reader finds in a file: a text put together, its structure, and what the file says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ark_tui.ingest.decode import Unreadable, storable
from ark_tui.ingest.markdown import HEADING, Block

LARGEST = 16 << 20  # characters of one text
COLUMNS = 20  # names of columns that a heading has
PLACE = 9  # level of the heading that is a place: a page, a slide, a sheet, below all titles


@dataclass(frozen=True, slots=True)
class Content:
    """A text with its blocks. `date`: ISO 8601, or as the file has it; `item`: which of several in a file."""

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    date: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()
    item: str = ""

    @classmethod
    def of(cls, given: dict[str, Any]) -> Content:
        """As `asdict` had it before JSON, but for what cannot be stored; all lengths stay."""
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
    """Puts a text together, paragraph by paragraph."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []

    def say(self, text: str, gap: str = "\n\n") -> None:
        """A paragraph, or with another gap what goes on in one."""
        words = text.strip(" \r\n")
        if words.strip():
            self._add(words, gap)
            self._blocks.append(Block(self._length - len(words)))

    def heading(self, label: str, level: int) -> None:
        """A heading that stands in the text."""
        words = " ".join(label.split())
        if words:
            self._add(words, "\n\n")
            self._blocks.append(Block(self._length - len(words), HEADING, level, words))

    def place(self, label: str, level: int = PLACE) -> None:
        """A heading that does not stand in the text, such as the number of a page; begins with what comes."""
        self._blocks.append(Block(self._length + 2 * bool(self._length), HEADING, level, label))

    def take(self, text: str, blocks: Sequence[Block], below: int = 0) -> None:
        """A text that is put together already, its headings so many levels lower."""
        if text.strip():
            self._add(text, "\n\n")
            start = self._length - len(text)
            self._blocks += [
                block._replace(start=start + block.start, level=block.level and block.level + below)
                for block in blocks
            ]

    def table(self, rows: Iterable[Iterable[str]]) -> None:
        """Rows as lines, below the names of their columns where the first has such."""
        first = True
        for row in rows:
            cells = [" ".join(cell.split()) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if not cells:
                continue
            if first and len(cells) > 1 and all(cells) and not any(map(_number, cells)):
                self.place(", ".join(cells[:COLUMNS]), 8)
            self.say("\t".join(cells), "\n\n" if first else "\n")
            first = False

    def content(self, **said: Any) -> Content:
        """All of it, with what else there is to say. Raises `Unreadable` where there is no text."""
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


def _number(cell: str) -> bool:
    return cell.replace(".", "").replace("-", "").isdigit()
