"""Facts, patterns and directives: documents of the collection `memory`, with the values of their kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple, TypeVar

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import Hint, NotFound
from ark_tui.domain.knowledge import Directive, Fact, Pattern
from ark_tui.domain.layers import DIRECTIVE as HELD
from ark_tui.domain.layers import MEMORY, RETIRED
from ark_tui.domain.layers import PATTERN as SOLVED
from ark_tui.domain.memory import Scope
from ark_tui.store import documents, owners
from ark_tui.store.lease import Lease, among, of_many

Kept = TypeVar("Kept", bound=Fact | Pattern | Directive)

SHARED = "", ""
"""The owner and project of items that everyone sees in all projects."""


class ChunkPlace(NamedTuple):
    """A chunk of an item: its number, its document's number, and the inputs of its score."""

    number: int
    document: int
    day: date | None
    confidence: float


def numbers(lease: Lease, kinds: Sequence[str], scope: Scope, *, retired: bool = False) -> list[int]:
    """The items of these types in a scope, oldest first; retired ones on request."""
    (own, whose), (seen, viewer) = owners.in_scope(scope), owners.visible()
    return lease.numbers(
        f"""SELECT number FROM ark.documents
           WHERE {seen} AND folder = ? AND gone IS NULL AND type IN (SELECT unnest(?::VARCHAR[]))
             AND (? OR (status <> ? AND number NOT IN (SELECT document FROM ark.superseded)))
             AND {own}
           ORDER BY number""",
        *(*viewer, MEMORY, list(kinds), retired, RETIRED, *whose),
    )


def same(
    lease: Lease, kind: str, body: str, source: str = "", *, whose: tuple[str, str] = SHARED
) -> int | None:
    """The item in force with exactly this type, text, source, owner and project."""
    return lease.number(
        """SELECT number FROM ark.documents WHERE folder = ? AND gone IS NULL AND type = ? AND status <> ?
             AND body = ? AND source_id = ? AND owner = ? AND project = ? ORDER BY number""",
        *(MEMORY, kind, RETIRED, body, source, *whose),
    )


def resolve(lease: Lease, ref: str, kind: str) -> int:
    """The number of the item that `ref` names. Raises `NotFound` for a document of another kind."""
    number = documents.resolve(lease, ref)
    known = lease.row("SELECT type, folder, title FROM ark.documents WHERE number = ?", number)
    assert known
    if (known[0], known[1]) != (kind, MEMORY):
        raise NotFound(f"{ref} is no {kind}: {known[2]}.", Hint.run(f"{kind}s list", say="List them: {}"))
    return number


def facts(lease: Lease, wanted: Sequence[int]) -> dict[int, Fact]:
    """Facts by number, and other items that consist of one text."""
    known = documents.documents(lease, wanted)
    rows = lease.rows(
        "SELECT number, body, source_id, agent, session, owner, project "
        f"FROM ark.documents WHERE number {among(wanted)}"
    )
    return {
        int(number): Fact(known[int(number)], body, source, Scope(agent, session), owner, project)
        for number, body, source, agent, session, owner, project in rows
    }


def patterns(
    lease: Lease, wanted: Sequence[int], known: Mapping[int, Document] | None = None
) -> dict[int, Pattern]:
    """Patterns by number; other documents are left out. `known`: the documents, if already read."""
    known = documents.documents(lease, wanted) if known is None else known
    rows = lease.rows(
        f"""SELECT p.document, p.problem, p.solution, p.confidence, p.successes, p.failures,
                   d.agent, d.session, d.owner, d.project
            FROM ark.patterns p JOIN ark.documents d ON d.number = p.document
            WHERE p.document {among(wanted)}"""
    )
    return {
        int(number): Pattern(
            known[int(number)], problem, solution, confidence, good, bad, Scope(agent, session), *whose
        )
        for number, problem, solution, confidence, good, bad, agent, session, *whose in rows
    }


def directives(
    lease: Lease, wanted: Sequence[int], known: Mapping[int, Document] | None = None
) -> dict[int, Directive]:
    """Directives by number; other documents are left out. `known`: the documents, if already read."""
    known = documents.documents(lease, wanted) if known is None else known
    rows = lease.rows(
        f"""SELECT r.document, r.kind, d.body, r.scope, r.priority, d.agent, d.session,
                   d.owner, d.project
            FROM ark.directives r JOIN ark.documents d ON d.number = r.document
            WHERE r.document {among(wanted)}"""
    )
    return {
        int(number): Directive(known[int(number)], kind, text, scope, priority, Scope(agent, session), *whose)
        for number, kind, text, scope, priority, agent, session, *whose in rows
    }


def by_id(lease: Lease, ids: Sequence[str]) -> list[int]:
    """The numbers of documents by their ids, in that order; missing ones are left out."""
    rows = lease.rows(
        "SELECT id, number FROM ark.documents WHERE gone IS NULL AND id IN (SELECT unnest(?::VARCHAR[]))",
        list(ids),
    )
    known = {str(id_): int(number) for id_, number in rows}
    return [known[id_] for id_ in dict.fromkeys(ids) if id_ in known]


def again(lease: Lease, found: Callable[[Lease, Sequence[int]], dict[int, Kept]], id_: str) -> Kept | None:
    """The item with exactly this id, read by `facts`, `patterns` or `directives`."""
    return next(iter(found(lease, by_id(lease, [id_])).values()), None)


def put(lease: Lease, table: Literal["patterns", "directives"], number: int, values: Sequence[Any]) -> None:
    """Store the values of a pattern or directive besides its text, in the order of the table."""
    lease.delete(table, "document", [number])
    lease.insert(table, [(number, *values)])


def chunks(lease: Lease, layer: int, wanted: Collection[int] | None = None) -> list[ChunkPlace]:
    """The chunks of visible items in a layer, without retired and superseded ones.

    Of patterns, only the problems, and only with confidence above 0. `wanted`: only these chunks.
    """
    if wanted is not None and not wanted:
        return []
    seen, viewer = owners.visible("d")
    mine, *values = ("true",) if wanted is None else of_many("c.number", wanted)
    rows = lease.rows(
        f"""SELECT c.number, c.document, d.date, coalesce(p.confidence, 1.0)
           FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
           LEFT JOIN ark.patterns p ON p.document = c.document
           WHERE {mine} AND d.folder = ? AND d.gone IS NULL AND d.layer = ? AND d.status = '' AND {seen}
             AND d.number NOT IN (SELECT document FROM ark.superseded)
             AND coalesce(p.confidence, 1.0) > 0 AND (d.layer <> ? OR c.kind = 'problem')
           ORDER BY c.number""",
        *values,
        MEMORY,
        layer,
        *viewer,
        SOLVED,
    )
    return [ChunkPlace(*row) for row in rows]


def rules(lease: Lease) -> dict[int, str]:
    """The scopes of the visible rules in force, by the rule's number."""
    seen, viewer = owners.visible("d")
    rows = lease.rows(
        f"""SELECT r.document, r.scope FROM ark.directives r JOIN ark.documents d ON d.number = r.document
           WHERE d.folder = ? AND d.gone IS NULL AND d.layer = ? AND d.status = '' AND {seen}
           ORDER BY r.document""",
        MEMORY,
        HELD,
        *viewer,
    )
    return {int(number): str(scope) for number, scope in rows}
