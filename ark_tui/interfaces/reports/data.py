"""A report as data: one JSON document, or its tables as Parquet.

Figures are exported as tables of their points.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ark_tui.interfaces.reports.charts import Bars, Chart, Curves, Map, Times
from ark_tui.interfaces.reports.report import (
    Column,
    Excerpt,
    Facts,
    Figure,
    Kind,
    Paragraph,
    Report,
    Section,
    Table,
    Value,
    table,
)

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

MADE_BY = {"ark-tui": "report"}
"""Metadata of every Parquet file, by which `ours` recognizes reports."""


def document(report: Report) -> dict[str, Any]:
    """The report for `json.dumps`. Rows of tables are objects; dates are ISO 8601."""
    sections = {section.name: _section(section) for section in report.sections}
    return {"title": report.title, "made": report.made, "sections": sections}


def _section(section: Section) -> dict[str, Any]:
    blocks = section.blocks
    return {
        "title": section.title,
        "text": [block.text for block in blocks if isinstance(block, Paragraph)],
        "facts": dict(row for block in blocks if isinstance(block, Facts) for row in block.rows),
        "tables": {
            one.name: {"title": one.title, "note": one.note, "rows": rows(one)} for one in section.tables
        },
        "plots": {
            one.name: {"title": one.title, "about": one.about, "points": rows(points(one))}
            for one in section.figures
        },
        "excerpts": [
            {"title": block.title, "about": block.about, "text": block.text}
            for block in blocks
            if isinstance(block, Excerpt)
        ],
    }


def rows(of: Table) -> list[dict[str, Any]]:
    """The rows of a table as JSON objects."""
    keys = [column.key for column in of.columns]
    plain = [[one.isoformat() if isinstance(one, date) else one for one in row] for row in of.rows]
    return [dict(zip(keys, row, strict=True)) for row in plain]


def tables(report: Report) -> list[tuple[str, Table]]:
    """All tables, including empty ones, with their file names."""
    return [
        (f"{section.name}-{one.name}", one)
        for section in report.sections
        for one in (*section.tables, *(points(figure) for figure in section.figures))
    ]


def parquet(of: Table) -> bytes:
    """One table as a Parquet file."""
    content = BytesIO()
    frame(of).write_parquet(content, compression="zstd", statistics=False, metadata=MADE_BY)
    return content.getvalue()


def frame(of: Table) -> pl.DataFrame:
    """A table as a data frame with typed columns, even without rows."""
    import polars as pl

    types: dict[str, Any] = {
        "text": pl.String,
        "count": pl.Int64,
        "number": pl.Float64,
        "share": pl.Float64,
        "yes": pl.Boolean,
        "date": pl.Date,
    }
    columns = list(zip(*of.rows, strict=True)) or [()] * len(of.columns)
    return pl.DataFrame(
        [
            pl.Series(column.key, list(values), dtype=types[column.kind])
            for column, values in zip(of.columns, columns, strict=True)
        ]
    )


def ours(path: Path) -> bool:
    """Whether a Parquet file is part of a report written by ark-tui."""
    import polars as pl

    try:
        return pl.read_parquet_metadata(path).get("ark-tui") == MADE_BY["ark-tui"]
    except (pl.exceptions.PolarsError, OSError):
        return False


def points(figure: Figure) -> Table:
    """The points of a figure as a table."""
    kinds, found = _points(figure.chart)
    return table(figure.name, figure.title, [Column(key, key, kind) for key, kind in kinds.items()], [*found])


def _points(chart: Chart) -> tuple[dict[str, Kind], Iterator[tuple[Value, ...]]]:
    match chart:
        case Bars():
            names = {letter: name for letter, _, name in chart.key}
            return {"label": "text", "part": "text", "amount": "number"}, (
                (bar.label, names.get(letter, ""), float(amount))
                for bar in chart.bars
                for letter, _, amount in bar.parts
            )
        case Times():
            return {"span": "text", "count": "count"}, zip(chart.spans, chart.counts, strict=True)
        case Curves():
            return {"series": "text", "x": "number", "y": "number"}, _curve_points(chart)
        case Map():
            return {"group": "text", "name": "text", "x": "number", "y": "number"}, (
                (group.letter, group.name, x, y)
                for group in chart.groups
                for x, y in zip(group.x, group.y, strict=True)
            )


def _curve_points(chart: Curves) -> Iterator[tuple[Value, ...]]:
    for one in chart.series:
        yield from ((one.name, x, y) for x, y in zip(one.x, one.y, strict=True))
    for line in chart.lines:
        yield (line.name, line.at, None) if line.upright else (line.name, None, line.at)
