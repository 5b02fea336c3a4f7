"""The log of searches with their results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Ambiguous, Hint, NotFound
from ark_tui.domain.query import Request, as_json, from_json
from ark_tui.domain.searches import Answer, Retrieval
from ark_tui.store.lease import Lease, Row, among

KEPT = "id, parameters, model, change, moment"
FITS = "(contains(lower(query), lower(?)) OR starts_with(id, ?))"


def put(lease: Lease, retrievals: Sequence[Retrieval]) -> None:
    """Store searches; existing ones stay unchanged."""
    rows = []
    for one in retrievals:
        parameters = {"request": as_json(one.request), "profile": one.profile}
        search = (
            one.id, one.request.query, one.request.profile, json.dumps(parameters, ensure_ascii=False),
            one.model, one.change, one.at.replace(tzinfo=None),
        )  # fmt: skip
        rows.append((search, [(one.id, a.rank, a.document, a.chunk, a.score) for a in one.answers]))
    lease.insert_new("searches", "answers", rows)


def latest(lease: Lease, limit: int) -> list[Retrieval]:
    """The last searches, newest first."""
    rows = lease.rows(f"SELECT {KEPT} FROM ark.searches ORDER BY moment DESC, rowid DESC LIMIT ?", limit)
    answers = _answers(lease, [str(row[0]) for row in rows])
    return [_retrieval(row, answers.get(str(row[0]), [])) for row in rows]


def page(lease: Lease, words: str, limit: int, offset: int) -> list[Retrieval]:
    """Searches without results, newest first: all, or those whose query or id matches `words`."""
    rows = lease.rows(
        f"SELECT {KEPT} FROM ark.searches WHERE {FITS} ORDER BY moment DESC, rowid DESC LIMIT ? OFFSET ?",
        *(words, words, limit, offset),
    )
    return [_retrieval(row, []) for row in rows]


def row_of(lease: Lease, words: str, id_: str) -> int | None:
    """The row of a search in these pages; None if it is not listed."""
    return lease.number(
        f"""SELECT row FROM (SELECT id, row_number() OVER (ORDER BY moment DESC, rowid DESC) - 1 AS row
            FROM ark.searches WHERE {FITS}) WHERE id = ?""",
        *(words, words, id_),
    )


def count(lease: Lease, words: str = "") -> int:
    """The number of searches, or of those that match `words`."""
    return lease.count(f"SELECT count(*) FROM ark.searches WHERE {FITS}", words, words)


def get(lease: Lease, ref: str) -> Retrieval:
    """A search by its id or the start of it. Raises `NotFound` and `Ambiguous`."""
    rows = lease.rows(f"SELECT {KEPT} FROM ark.searches WHERE starts_with(id, ?) LIMIT 9", ref)
    rows = [row for row in rows if row[0] == ref] or rows
    if not rows or not ref:
        raise NotFound(f"There is no search {ref}.", Hint.run("history searches", say="List them: {}."))
    if len(rows) > 1:
        raise Ambiguous(f"{ref} fits several searches.", f"Say which: {', '.join(row[0] for row in rows)}")
    (row,) = rows
    return _retrieval(row, _answers(lease, [str(row[0])]).get(str(row[0]), []))


# -- inside ------------------------------------------------------------------------------------------


def _retrieval(row: Row, answers: list[Answer]) -> Retrieval:
    id_, parameters, model, change, moment = row
    known = json.loads(parameters)
    request, at = from_json(known["request"]), moment.replace(tzinfo=UTC)
    return Retrieval(id_, request, known["profile"], model, change, at, tuple(answers))


def _answers(lease: Lease, ids: Sequence[str]) -> dict[str, list[Answer]]:
    """The results of searches, by search; titles of removed documents are still shown."""
    found: dict[str, list[Answer]] = {}
    for search, rank, document, chunk, score, title, path in lease.rows(
        """SELECT a.search, a.rank, a.document, a.chunk, a.score, coalesce(d.title, ''), coalesce(d.path, '')
           FROM ark.answers a LEFT JOIN ark.documents d ON d.id = a.document
           WHERE a.search IN (SELECT unnest(?::VARCHAR[])) ORDER BY a.search, a.rank""",
        list(ids),
    ):
        found.setdefault(str(search), []).append(Answer(rank, document, chunk, score, title, path))
    return found


LOOK = "look "  # the prefix of the keys of looks in the table `meta`


def last_look(lease: Lease, agent: str, request: Request) -> str:
    """The retrieval id of an agent's last look at a saved search; empty if there is none."""
    found = lease.value(
        """SELECT value FROM ark.meta WHERE key = ?
           AND EXISTS (SELECT 1 FROM ark.searches WHERE id = value)""",
        _key(agent, request),
    )
    return str(found or "")


def note_look(lease: Lease, agent: str, request: Request, retrieval: str, kept: Iterable[Request]) -> None:
    """Record a logged search as a look at a saved search. Looks at searches not in `kept` are deleted."""
    key, known = _key(agent, request), {_key(agent, one) for one in kept}
    own = [
        str(row[0])
        for row in lease.rows("SELECT key FROM ark.meta WHERE starts_with(key, ?)", f"{LOOK}{agent} ")
    ]
    lease.delete("meta", "key", [key, *(one for one in own if one not in known)], "VARCHAR")
    lease.run("INSERT INTO ark.meta VALUES (?, ?)", key, retrieval)


def _key(agent: str, request: Request) -> str:
    asked = json.dumps(as_json(request), ensure_ascii=False, sort_keys=True)
    return f"{LOOK}{agent} {content_hash(asked.encode('utf-8', 'surrogatepass'))}"


def put_accesses(lease: Lease, agent: str, documents: Sequence[int], kind: str, retrieval: str = "") -> None:
    """Record that an agent used documents."""
    moment = lease.moment
    lease.insert("accesses", [(agent, document, kind, retrieval, moment) for document in documents])


def access_counts(lease: Lease, agent: str, documents: Sequence[int]) -> dict[int, int]:
    """The number of an agent's accesses by document number; documents without any are left out."""
    rows = lease.rows(
        f"SELECT document, count(*) FROM ark.accesses "
        f"WHERE agent = ? AND document {among(documents)} GROUP BY 1",
        agent,
    )
    return {int(document): int(count) for document, count in rows}
