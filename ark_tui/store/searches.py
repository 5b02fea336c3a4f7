"""Searches that were run, with what they answered."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from datetime import UTC, date
from typing import TYPE_CHECKING, Any

from ark_tui.domain import query
from ark_tui.domain.errors import Ambiguous, NotFound
from ark_tui.domain.searches import Answer, Retrieval

if TYPE_CHECKING:
    from ark_tui.store.lease import Lease, Row

SEARCH_COLUMNS = {
    "id": "VARCHAR", "query": "VARCHAR", "profile": "VARCHAR", "parameters": "VARCHAR", "model": "VARCHAR",
    "change": "BIGINT", "moment": "TIMESTAMP",
}  # fmt: skip
ANSWER_COLUMNS = {
    "search": "VARCHAR", "rank": "INTEGER", "document": "VARCHAR", "chunk": "VARCHAR", "score": "DOUBLE",
}  # fmt: skip

KEPT = "id, parameters, model, change, moment"
FITS = "(contains(lower(query), lower(?)) OR starts_with(id, ?))"
KIND = "is"  # names the class of an object in the JSON of a request


def put(lease: Lease, retrievals: Sequence[Retrieval]) -> None:
    """Keep searches; one that is kept already stays as it is."""
    known = {
        str(row[0])
        for row in lease.rows(
            "SELECT id FROM ark.searches WHERE id IN (SELECT unnest(?::VARCHAR[]))",
            [one.id for one in retrievals],
        )
    }
    fresh = [one for one in {one.id: one for one in retrievals}.values() if one.id not in known]
    lease.insert("searches", SEARCH_COLUMNS, [_row(one) for one in fresh])
    lease.insert(
        "answers",
        ANSWER_COLUMNS,
        [(one.id, a.rank, a.document, a.chunk, a.score) for one in fresh for a in one.answers],
    )


def latest(lease: Lease, limit: int) -> list[Retrieval]:
    """The last searches, the newest first."""
    rows = lease.rows(f"SELECT {KEPT} FROM ark.searches ORDER BY moment DESC, rowid DESC LIMIT ?", limit)
    answers = _answers(lease, [str(row[0]) for row in rows])
    return [_retrieval(row, answers.get(str(row[0]), [])) for row in rows]


def page(lease: Lease, words: str, limit: int, offset: int) -> list[Retrieval]:
    """Searches without what they answered, the newest first: all, or those whose query or id `words` fits."""
    rows = lease.rows(
        f"SELECT {KEPT} FROM ark.searches WHERE {FITS} ORDER BY moment DESC, rowid DESC LIMIT ? OFFSET ?",
        *(words, words, limit, offset),
    )
    return [_retrieval(row, []) for row in rows]


def row_of(lease: Lease, words: str, id_: str) -> int | None:
    """Which row of the pages a search is; None where it is not listed."""
    found = lease.value(
        f"""SELECT row FROM (SELECT id, row_number() OVER (ORDER BY moment DESC, rowid DESC) - 1 AS row
            FROM ark.searches WHERE {FITS}) WHERE id = ?""",
        *(words, words, id_),
    )
    return None if found is None else int(found)


def count(lease: Lease, words: str = "") -> int:
    """How many searches there are, or of them those that `words` fits."""
    return int(lease.value(f"SELECT count(*) FROM ark.searches WHERE {FITS}", words, words))


def get(lease: Lease, ref: str) -> Retrieval:
    """A search by its id, or the start of it. Raises `NotFound` and `Ambiguous`."""
    rows = lease.rows(f"SELECT {KEPT} FROM ark.searches WHERE starts_with(id, ?) LIMIT 9", ref)
    rows = [row for row in rows if row[0] == ref] or rows
    if not rows or not ref:
        raise NotFound(f"There is no search {ref}.", "See which there are: ark-tui searches")
    if len(rows) > 1:
        raise Ambiguous(f"{ref} fits several searches.", f"Say which: {', '.join(row[0] for row in rows)}")
    (row,) = rows
    return _retrieval(row, _answers(lease, [str(row[0])]).get(str(row[0]), []))


def as_json(value: Any) -> Any:
    """A request or a part of it as what JSON knows; fields that have their default are left out."""
    if dataclasses.is_dataclass(value):
        given = {
            field.name: as_json(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != _default(field)
        }
        return {KIND: type(value).__name__, **given}
    if isinstance(value, date):
        return {KIND: "date", "day": value.isoformat()}
    if isinstance(value, tuple):
        return [as_json(one) for one in value]
    return value


def from_json(value: Any) -> Any:
    """What `as_json` was given. A field that is not known any more is left out."""
    if isinstance(value, list):
        return tuple(from_json(one) for one in value)
    if not isinstance(value, dict):
        return value
    if value[KIND] == "date":
        return date.fromisoformat(value["day"])
    made: Any = getattr(query, value[KIND])
    known = {field.name for field in dataclasses.fields(made)}
    return made(**{name: from_json(one) for name, one in value.items() if name in known})


# -- inside ------------------------------------------------------------------------------------------


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _row(one: Retrieval) -> tuple[object, ...]:
    parameters = {"request": as_json(one.request), "profile": one.profile, "terms": one.terms}
    return (
        one.id, one.request.query, one.request.profile, json.dumps(parameters, ensure_ascii=False), one.model,
        one.change, one.at.replace(tzinfo=None),
    )  # fmt: skip


def _retrieval(row: Row, answers: list[Answer]) -> Retrieval:
    id_, parameters, model, change, moment = row
    known = json.loads(parameters)
    request, terms = from_json(known["request"]), known.get("terms")
    return Retrieval(
        id_, request, known["profile"], model, change, moment.replace(tzinfo=UTC), tuple(answers),
        None if terms is None else tuple(terms),
    )  # fmt: skip


def _answers(lease: Lease, ids: Sequence[str]) -> dict[str, list[Answer]]:
    """What searches listed, by search; documents that are gone keep their title."""
    found: dict[str, list[Answer]] = {}
    for search, rank, document, chunk, score, title, path in lease.rows(
        """SELECT a.search, a.rank, a.document, a.chunk, a.score, coalesce(d.title, ''), coalesce(d.path, '')
           FROM ark.answers a LEFT JOIN ark.documents d ON d.id = a.document
           WHERE a.search IN (SELECT unnest(?::VARCHAR[])) ORDER BY a.search, a.rank""",
        list(ids),
    ):
        found.setdefault(str(search), []).append(Answer(rank, document, chunk, score, title, path))
    return found
