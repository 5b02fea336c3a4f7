"""Filters as a condition on the rows of the table, which Lance applies before it looks for anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.query import (
    Condition,
    Dated,
    Either,
    Every,
    Field,
    Filters,
    Found,
    Has,
    Holds,
    Listed,
    Not,
)
from ark_tui.index import filters as trees
from ark_tui.index.filters import path_pattern
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from datetime import date


def where(wanted: Filters) -> str:
    """What the filters let answer, superseded and expired texts left out. Every `Holds` must be `Found`."""
    parts = [] if wanted.superseded else ["NOT superseded"]
    parts += [
        f"NOT coalesce(layer = {quoted(one.layer)} AND since <= {one.before}, false)"
        for one in wanted.expired
    ]
    if wanted:
        tree = trees.condition(replace(wanted, expired=()))
        parts += [_condition(part) for part in trees.conjuncts(tree)]
        if shown := [text for part in trees.shown(tree) for text in trees.texts(part)]:
            parts.append(
                among("chunk", {n for text in shown if isinstance(text, Found) for n in text.chunks})
            )
    return " AND ".join(f"({part})" for part in parts)


def among(column: str, numbers: Iterable[int]) -> str:
    """A column is one of these numbers."""
    listed = ", ".join(map(str, sorted(numbers)))
    return f"{column} IN ({listed})" if listed else "false"


def every(*parts: str) -> str:
    """All of these; an empty one asks for nothing."""
    return " AND ".join(f"({part})" for part in parts if part)


def _condition(part: Condition) -> str:
    match part:
        case Not():
            return f"NOT ({_condition(part.part)})"
        case Every():
            return every(*map(_condition, part.parts)) or "true"
        case Either():
            return " OR ".join(f"({_condition(one)})" for one in part.parts) or "false"
        case Found() | Listed():
            return among("document", part.documents)
        case Dated():
            return _dated(part.first, part.last)
        case Has():
            return _has(part)
        case Holds() | Field():
            raise TypeError(f"nobody has looked for {part}")


def _has(part: Has) -> str:
    if part.kind == "path":
        return f"regexp_like(path, {quoted(f'^(?s:{path_pattern(part.value)})$')})"
    if part.kind == "tag":
        return f"array_has(within, {quoted(part.value)})"
    return f"coalesce({part.kind} = {quoted(part.value)}, false)"


def _dated(first: date | None, last: date | None) -> str:
    parts = ["day IS NOT NULL"]
    parts += [f"day >= {(first - EPOCH_DAY).days}"] if first else []
    parts += [f"day <= {(last - EPOCH_DAY).days}"] if last else []
    return " AND ".join(parts)


def quoted(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"
