"""A report as data: one JSON document, or its tables as Parquet.

Figures are exported as tables of their points.
"""

from __future__ import annotations

from datetime import date
from io import BytesIO
from typing import Any

from ark_tui.interfaces.reports.charts import Bars, Chart, Curves, Map, Times
from ark_tui.interfaces.reports.report import (
    Excerpt,
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    Table,
    Value,
    table,
)

Points = list[tuple[Value, ...]]


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
    plain = [[one.isoformat() if isinstance(one, date) else one for one in row] for row in of.rows]
    return [dict(zip(of.columns, row, strict=True)) for row in plain]


def tables(report: Report) -> dict[str, Table]:
    """All tables by name, including empty ones and the points of figures."""
    return {
        f"{section.name}-{one.name}": one
        for section in report.sections
        for one in (*section.tables, *(points(figure) for figure in section.figures))
    }


def parquet(of: Table) -> bytes:
    """One table as a Parquet file with typed columns, even without rows."""
    import polars as pl

    content = BytesIO()
    frame = pl.DataFrame(of.rows, schema=dict(of.columns), orient="row")
    frame.write_parquet(content, compression="zstd", statistics=False)
    return content.getvalue()


def points(figure: Figure) -> Table:
    """The points of a figure as a table."""
    columns, found = _points(figure.chart)
    return table(figure.name, figure.title, columns, found)


def _points(chart: Chart) -> tuple[dict[str, type], Points]:
    found: Points
    match chart:
        case Bars():
            names = {letter: name for letter, _, name in chart.key}
            found = [
                (bar.label, names.get(letter, ""), float(amount))
                for bar in chart.bars
                for letter, _, amount in bar.parts
            ]
            return {"label": str, "part": str, "amount": float}, found
        case Times():
            return {"span": str, "count": int}, [*zip(chart.spans, chart.counts, strict=True)]
        case Curves():
            found = [
                (one.name, float(x), float(y))
                for one in chart.series
                for x, y in zip(one.x, one.y, strict=True)
            ]
            found += [(name, at, None) for name, at in ([chart.edge] if chart.edge else [])]
            return {"series": str, "x": float, "y": float}, found
        case Map():
            found = [
                (group.letter, group.name, x, y)
                for group in chart.groups
                for x, y in zip(group.x, group.y, strict=True)
            ]
            return {"group": str, "name": str, "x": float, "y": float}, found
