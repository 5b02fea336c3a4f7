"""Filters as SQL conditions for LanceDB tables, applied as prefilters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import UsageError
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


def where(wanted: Filters, *, texts: bool = False) -> str:
    """The condition of the filters, without superseded and expired texts.

    Every `Holds` must be resolved to `Found`, unless `texts`: then it is searched in the rows' titles and
    texts. Raises `UsageError` for a `Field`, which rows do not have.
    """
    parts = [] if wanted.superseded else ["NOT superseded"]
    parts += [
        f"NOT coalesce(layer = {quoted(one.layer)} AND since <= {one.before}, false)"
        for one in wanted.expired
    ]
    if wanted:
        tree = trees.condition(replace(wanted, expired=()))
        written = _holds if texts else _unresolved
        parts += [_condition(part, written) for part in trees.conjuncts(tree)]
        shown = [text for part in trees.shown(tree) for text in trees.texts(part)]
        if shown and not texts:
            parts.append(
                among("chunk", {n for text in shown if isinstance(text, Found) for n in text.chunks})
            )
    return " AND ".join(f"({part})" for part in parts)


def among(column: str, numbers: Iterable[int]) -> str:
    """The condition that a column has one of these numbers."""
    listed = ", ".join(map(str, sorted(numbers)))
    return f"{column} IN ({listed})" if listed else "false"


def every(*parts: str) -> str:
    """The conjunction of conditions; empty ones are ignored."""
    return " AND ".join(f"({part})" for part in parts if part)


def _unresolved(part: Holds | Field) -> str:
    raise TypeError(f"nobody has looked for {part}")


def _holds(part: Holds | Field) -> str:
    if isinstance(part, Field):
        raise UsageError(f"A published table has no field {part.key}.", "Leave it out of the query.")
    words = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", part.text))
    pattern = rf"(?i)(^|\W){words}(\W|$)"
    return f"regexp_like(title || ' ' || text, {quoted(pattern)})"


def _condition(part: Condition, written: Callable[[Holds | Field], str]) -> str:  # noqa: PLR0911
    match part:
        case Not():
            return f"NOT ({_condition(part.part, written)})"
        case Every():
            return every(*(_condition(one, written) for one in part.parts)) or "true"
        case Either():
            return " OR ".join(f"({_condition(one, written)})" for one in part.parts) or "false"
        case Found() | Listed():
            return among("document", part.documents)
        case Dated():
            return _dated(part.first, part.last)
        case Has():
            return _has(part)
        case Holds() | Field():
            return written(part)


def _has(part: Has) -> str:
    if part.kind == "path":
        return f"regexp_like(path, {quoted(f'^(?s:{path_pattern(part.value)})$')})"
    if part.kind == "tag":
        return f"array_has(tags, {quoted(part.value)})"
    return f"coalesce({part.kind} = {quoted(part.value)}, false)"


def _dated(first: date | None, last: date | None) -> str:
    parts = ["day IS NOT NULL"]
    parts += [f"day >= {(first - EPOCH_DAY).days}"] if first else []
    parts += [f"day <= {(last - EPOCH_DAY).days}"] if last else []
    return " AND ".join(parts)


def quoted(text: str) -> str:
    """A text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
