"""A report as data: built once, then written as Markdown, HTML, JSON or Parquet.

Text passes `text.clean` on construction, so that writers need not handle secrets or control characters.
Numbers are rounded here too: equal corpora give equal bytes.
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
Kind = Literal["text", "count", "number", "share", "yes", "date"]

PLACES = 6  # decimals of a number
SHOWN = 50  # rows of a table in Markdown and HTML; JSON and Parquet have all


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `key`: its name in JSON and Parquet; `shown`: also in Markdown and HTML.

    `of`: extracts the value from a record, by default its attribute `key`; several texts are joined with
    commas.
    """

    key: str
    label: str
    kind: Kind = "text"
    digits: int = 3
    shown: bool = True
    longest: int = 200  # characters shown; in JSON and Parquet the text is complete
    of: Callable[[Any], Any] | None = field(default=None, compare=False)

    def value(self, record: object) -> Value:
        """The value of this column for a record."""
        found = self.of(record) if self.of else getattr(record, self.key)
        return ", ".join(found) if isinstance(found, tuple) else found


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values, one per column; create one with `table`. `note`: a sentence below it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    limit: int = SHOWN

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns shown in Markdown and HTML."""
        return tuple(column for column in self.columns if column.shown)

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The rows shown in Markdown and HTML, formatted."""
        places = [place for place, column in enumerate(self.columns) if column.shown]
        return tuple(
            tuple(spelled(row[place], self.columns[place]) for place in places)
            for row in self.rows[: self.limit]
        )

    @property
    def rest(self) -> str:
        """A note that more rows exist than are shown."""
        if len(self.rows) <= self.limit:
            return ""
        return f"The first {self.limit:,} of {len(self.rows):,}; as JSON or Parquet the report has all."


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with values, one per line."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage of a document with title and facts; `marks`: highlighted ranges of `text`."""

    title: str
    about: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart. `about`: an alternative text of one sentence."""

    name: str
    title: str
    about: str
    chart: Chart


Block: TypeAlias = Table | Facts | Paragraph | Excerpt | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """One section: a requested report."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def visible(self) -> Iterator[Block]:
        """The blocks that are not empty."""
        for block in self.blocks:
            if isinstance(block, Facts | Table) and not block.rows and not getattr(block, "note", ""):
                continue
            yield block

    @property
    def tables(self) -> Iterator[Table]:
        return (block for block in self.blocks if isinstance(block, Table))

    @property
    def figures(self) -> Iterator[Figure]:
        return (block for block in self.blocks if isinstance(block, Figure))


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report file. `made`: the time of the home's clock, ISO 8601 in UTC."""

    title: str
    made: str
    sections: tuple[Section, ...]

    @property
    def single(self) -> bool:
        """Whether the report has only one section with the same title."""
        return [section.title for section in self.sections] == [self.title]


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    note: str = "",
    limit: int = SHOWN,
) -> Table:
    """Create a table with cleaned texts and rounded numbers."""
    kept = tuple(tuple(_kept(value) for value in row) for row in rows)
    assert all(len(row) == len(columns) for row in kept), f"{name}: a row does not fit the columns"
    return Table(name, title, tuple(columns), kept, clean(note), limit)


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
    """Create a table of records by the columns' extractors; `none`: the note of an empty table."""
    rows = [[column.value(record) for column in columns] for record in records]
    return table(name, title, columns, rows, note if rows else none, limit)


def _document(record: Any) -> Document:
    found: Document = getattr(record, "document", record)
    return found


TITLE = Column("title", "Title", of=lambda one: _document(one).called)
PATH = Column("path", "Place", of=lambda one: _document(one).path)
COLLECTION = Column("collection", "Collection", shown=False, of=lambda one: _document(one).collection)
ID = Column("id", "Id", shown=False, of=lambda one: _document(one).id)
"""Columns of a document, or of a record's document."""

FILE = (
    Column("collection", "Collection"), Column("path", "Place"), Column("state", "State"),
    Column("reason", "Reason"),
)  # fmt: skip
"""Columns of a file that is not indexed."""


def facts(*rows: tuple[str, str]) -> Facts:
    """Create facts with cleaned texts; empty values are left out."""
    return Facts(tuple((label, clean(value)) for label, value in rows if value))


def paragraph(text: str) -> Paragraph:
    """Create a paragraph with cleaned text."""
    return Paragraph(clean(text))


def spelled(value: Value, column: Column) -> str:
    """Format a value for display."""
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
            return shortened(str(value), column.longest)  # dates in ISO format


def _kept(value: Value) -> Value:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return round(value, PLACES) + 0.0  # no -0.0
    return value
