"""A report as data: built once, then written as Markdown, HTML, JSON or Parquet.

Text passes `text.clean` on construction, so that writers need not handle secrets or control characters.
Numbers are rounded here too: equal corpora give equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from ark_tui.interfaces.reports.charts import Chart
from ark_tui.interfaces.reports.text import clean

Value: TypeAlias = str | int | float | date | None

PLACES = 6  # decimals of a number


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with a value per column; create one with `table`.

    `columns`: their types by name. `hidden`: the columns that only JSON and Parquet have. `note`: a sentence
    below it.
    """

    name: str
    title: str
    columns: Mapping[str, type]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    hidden: Sequence[str] = ()


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
    """A chart. `about`: how to read it, if its title does not say that."""

    name: str
    title: str
    chart: Chart
    about: str = ""


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
            match block:
                case Facts(rows=()) | Table(rows=(), note=""):
                    continue
                case _:
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

    made: str
    sections: tuple[Section, ...]

    @property
    def title(self) -> str:
        return self.sections[0].title if len(self.sections) == 1 else "What is in the notes"


def table(
    name: str,
    title: str,
    columns: Mapping[str, type],
    rows: Iterable[Sequence[Value]],
    note: str = "",
    *,
    hidden: Sequence[str] = ("id",),
    none: str = "",
) -> Table:
    """Create a table with cleaned texts and rounded numbers; `none`: the note if it has no rows."""
    kept = tuple(tuple(_kept(value) for value in row) for row in rows)
    assert all(len(row) == len(columns) for row in kept), f"{name}: a row does not fit the columns"
    return Table(name, title, columns, kept, clean(note if kept else none), hidden)


def facts(*rows: tuple[str, str]) -> Facts:
    """Create facts with cleaned texts; empty values are left out."""
    return Facts(tuple((label, clean(value)) for label, value in rows if value))


def paragraph(text: str) -> Paragraph:
    """Create a paragraph with cleaned text."""
    return Paragraph(clean(text))


def _kept(value: Value) -> Value:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return round(value, PLACES) + 0.0  # no -0.0
    return value
