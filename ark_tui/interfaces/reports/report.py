"""A report as data: built once, then written as Markdown, a page, JSON or Parquet.

Every text passes `text.clean` when it gets here, so that no writer has to think of keys or of control
characters. Numbers are rounded here too: equal corpora give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, TypeAlias

from ark_tui.domain.documents import Document
from ark_tui.interfaces.reports.charts import Chart
from ark_tui.interfaces.reports.text import clean, shortened

Value: TypeAlias = str | int | float | bool | date | None
Kind = Literal["text", "short", "path", "count", "number", "share", "yes", "date"]

PLACES = 6  # decimals that are kept of a number
SHOWN = 50  # rows of a table that Markdown and a page show; JSON and Parquet have all


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `key` names it in JSON and Parquet; `shown`: people get to see it, too.

    `of`: what a record has in it, as a rule its attribute `key`; several texts get commas between them.
    """

    key: str
    label: str
    kind: Kind = "text"
    digits: int = 3
    shown: bool = True
    longest: int = 200  # characters that people get to see; as data a text is whole
    of: Callable[[Any], Any] | None = field(default=None, compare=False)

    def value(self, record: object) -> Value:
        """What stands in this column for a record."""
        found = self.of(record) if self.of else getattr(record, self.key)
        return ", ".join(found) if isinstance(found, tuple) else found


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values, one per column; make one with `table`. `note` is a sentence below it.

    `folded`: a page shows it only when it is asked to. Not `seen`: it is there for programs, and what it
    says people read elsewhere.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    limit: int = SHOWN
    folded: bool = False
    seen: bool = True

    @property
    def silent(self) -> bool:
        """Whether there is nothing in it to be seen; as data it is there all the same."""
        return not self.seen or not (self.rows or self.note)

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns that people get to see."""
        return tuple(column for column in self.columns if column.shown)

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The rows that people get to see, as they see them."""
        places = [place for place, column in enumerate(self.columns) if column.shown]
        return tuple(
            tuple(spelled(row[place], self.columns[place]) for place in places)
            for row in self.rows[: self.limit]
        )

    @property
    def rest(self) -> str:
        """Says that there are more rows than are shown."""
        if len(self.rows) <= self.limit:
            return ""
        return f"The first {self.limit:,} of {len(self.rows):,}; as JSON or Parquet the report has all."


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they are, one below the other."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a document under its title, with what is known of it; `marks` are ranges of `text`."""

    title: str
    about: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of numbers. `about` says in a sentence what it shows, to whoever does not see it."""

    name: str
    title: str
    about: str
    chart: Chart


Block: TypeAlias = Table | Facts | Paragraph | Excerpt | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """One of the reports that were asked for."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def visible(self) -> Iterator[Block]:
        """The blocks that people get to see."""
        for block in self.blocks:
            empty = block.silent if isinstance(block, Table) else isinstance(block, Facts) and not block.rows
            if not empty:
                yield block

    @property
    def tables(self) -> Iterator[Table]:
        return (block for block in self.blocks if isinstance(block, Table))

    @property
    def figures(self) -> Iterator[Figure]:
        return (block for block in self.blocks if isinstance(block, Figure))


@dataclass(frozen=True, slots=True)
class Report:
    """What a file is written from. `made` is the moment by the home's clock, ISO 8601 in UTC."""

    title: str
    made: str
    sections: tuple[Section, ...]

    @property
    def single(self) -> bool:
        """Whether the title of the report is that of its only section."""
        return [section.title for section in self.sections] == [self.title]


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    note: str = "",
    limit: int = SHOWN,
    *,
    folded: bool = False,
) -> Table:
    """A table of clean texts and rounded numbers."""
    kept = tuple(tuple(_kept(value) for value in row) for row in rows)
    assert all(len(row) == len(columns) for row in kept), f"{name}: a row does not fit the columns"
    return Table(name, title, tuple(columns), kept, clean(note), limit, folded)


def listed(
    name: str,
    title: str,
    columns: Sequence[Column],
    records: Iterable[Any],
    note: str = "",
    limit: int = SHOWN,
    *,
    none: str = "",
) -> Table:
    """A table of records, whose columns say what they take of each; `none`: the note where there is none."""
    rows = [[column.value(record) for column in columns] for record in records]
    return table(name, title, columns, rows, note if rows else none, limit)


def _document(record: Any) -> Document:
    found: Document = getattr(record, "document", record)
    return found


TITLE = Column("title", "Title", of=lambda one: _document(one).called)
PATH = Column("path", "Place", "path", of=lambda one: _document(one).path)
COLLECTION = Column("collection", "Collection", shown=False, of=lambda one: _document(one).collection)
ID = Column("id", "Id", shown=False, of=lambda one: _document(one).id)
"""Columns of a document, or of the document of a record."""


def numbers(**values: float | None) -> Table:
    """Numbers by name, for programs."""
    rows = [(name, None if value is None else round(float(value), PLACES)) for name, value in values.items()]
    columns = (Column("name", "Name"), Column("value", "Value", "number"))
    return Table("numbers", "Numbers", columns, tuple(rows), seen=False)


def facts(*rows: tuple[str, str]) -> Facts:
    """Clean facts; those without a value are left out."""
    return Facts(tuple((label, clean(value)) for label, value in rows if value))


def paragraph(text: str) -> Paragraph:
    """A clean paragraph."""
    return Paragraph(clean(text))


def spelled(value: Value, column: Column) -> str:
    """A value as people read it."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.0%}" if column.kind == "share" else f"{value:,.{column.digits}f}"
        case int():
            return f"{value:,}"
        case _:
            return shortened(str(value), column.longest)  # of a date its ISO form


def _kept(value: Value) -> Value:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return round(value, PLACES) + 0.0  # no -0.0
    return value
