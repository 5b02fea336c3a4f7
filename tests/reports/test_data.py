"""The report as data: what Parquet holds is what JSON says."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import polars as pl

from ark_tui.engine import Engine
from ark_tui.interfaces.reports import data, export, sections
from ark_tui.interfaces.reports.report import Report, Section, table
from tests.reports.conftest import QUERY

EVERYTHING = ("overview", "search")

ONE = table(
    "kinds",
    "Kinds",
    {"text": str, "count": int, "number": float, "date": date},
    [("a", 1, 0.1234567, date(2026, 1, 1)), ("b", None, None, None)],
)


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: value.isoformat() if isinstance(value, date) else value for key, value in row.items()}
        for row in rows
    ]


def read(report: Report) -> dict[str, pl.DataFrame]:
    return {name: pl.read_parquet(content) for name, content in export.files(report, "parquet").items()}


def test_parquet_read_back_equals_the_json(engine: Engine) -> None:
    report = sections.report(engine, EVERYTHING, sections.Asked(QUERY))
    said = json.loads(export.files(report, "json")[""])["sections"]
    told = {
        f"{name}-{table}.parquet": section[kind][table]["rows" if kind == "tables" else "points"]
        for name, section in said.items()
        for kind in ("tables", "plots")
        for table in section[kind]
    }
    assert {name: plain(frame.to_dicts()) for name, frame in read(report).items()} == told
    assert len(told) > 10


def test_every_kind_of_value_survives_and_a_table_without_rows_keeps_its_types() -> None:
    (frame,) = read(Report("now", (Section("s", "S", (ONE,)),))).values()
    assert plain(frame.to_dicts()) == data.rows(ONE)
    types = {"text": pl.String(), "count": pl.Int64(), "number": pl.Float64(), "date": pl.Date()}
    assert dict(frame.schema) == types
    empty = table("none", "None", ONE.columns, [])
    (none,) = read(Report("now", (Section("s", "S", (empty,)),))).values()
    assert none.schema == frame.schema


def test_numbers_are_rounded_so_that_machines_agree() -> None:
    assert data.rows(ONE)[0]["number"] == 0.123457
