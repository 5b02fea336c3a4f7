"""Who sees what: the owner and the project of an item, and for whom this thread looks.

A document without an owner is everybody's, and one without a project belongs to all of them. A message is
its agent's, and its session is its project, for whoever is `alone` with what was said; so is what a model has
proposed out of messages, before somebody lets it in.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.layers import HISTORY, MEMORY
from ark_tui.domain.memory import Scope, ScopeInfo
from ark_tui.store.lease import Lease

if TYPE_CHECKING:
    from ark_tui.domain.principal import Viewer

Pair: TypeAlias = "tuple[str, str]"
"""An owner and a project, each empty where there is none."""


_viewer: ContextVar[Viewer | None] = ContextVar("viewer", default=None)


@contextmanager
def seen_by(viewer: Viewer | None) -> Iterator[None]:
    """Within this block only what a viewer sees is found; None: all there is."""
    before = _viewer.set(viewer)
    try:
        yield
    finally:
        _viewer.reset(before)


def current() -> Viewer | None:
    """For whom this thread looks."""
    return _viewer.get()


def alone() -> bool:
    """Whether this is for somebody who is told nothing of what others do."""
    viewer = _viewer.get()
    return viewer is not None and viewer.alone


def visible(table: str = "", said: str = f"folder = '{HISTORY}'") -> tuple[str, list[object]]:
    """A condition on rows of documents, under the name that they have in a statement, and its values.

    `said`: on which of them are their agent's, and their session's, for whoever is alone.
    """
    viewer, of = _viewer.get(), f"{table}." if table else ""
    parts: list[str] = []
    values: list[object] = []
    asked = (
        (("owner", "agent", viewer.agents), ("project", "session", viewer.projects or None)) if viewer else ()
    )
    for column, speaker, own in asked:
        if viewer and own is not None:
            whose = f"CASE WHEN {of}{said} THEN {of}{speaker} ELSE {of}{column} END"
            parts.append(f"{whose if viewer.alone else of + column} IN (SELECT unnest(?::VARCHAR[]))")
            values.append(["", *own])
    return " AND ".join(parts) or "true", values


def said_by(column: str) -> tuple[str, list[object]]:
    """Likewise on rows that have no owner but an agent, in a column: what was asked and reported."""
    viewer = _viewer.get()
    if viewer is None or not viewer.alone or viewer.agents is None:
        return "true", []
    return f"{column} IN (SELECT unnest(?::VARCHAR[]))", [list(viewer.agents)]


def whose(lease: Lease) -> frozenset[Pair]:
    """Of whom there are memories, those in the trash among them."""
    rows = lease.rows("SELECT DISTINCT owner, project FROM ark.documents WHERE folder = ?", MEMORY)
    return frozenset((str(owner), str(project)) for owner, project in rows)


def hides(pairs: Iterable[Pair]) -> bool:
    """Whether there may be a memory of these owners and projects that is not seen here."""
    viewer = _viewer.get()
    if viewer is None:
        return False
    asked = (viewer.agents, viewer.projects or None)
    return any(
        own is not None and name not in ("", *own)
        for pair in pairs
        for name, own in zip(pair, asked, strict=True)
    )


def hidden(lease: Lease, *, messages: bool) -> array[int]:
    """The numbers of the memories, or of the messages, that are not seen here, ascending."""
    seen, viewer = visible()
    return array("q", lease.numbers(
        f"SELECT number FROM ark.documents WHERE folder = ? AND gone IS NULL AND NOT ({seen}) ORDER BY 1",
        HISTORY if messages else MEMORY, *viewer,
    ))  # fmt: skip


COUNTED = """
WITH counted AS (
    SELECT agent, session, 'scratch' AS kind, count(*) AS count FROM (
        SELECT agent, session, key, arg_max(deleted, version) AS deleted FROM ark.scratch GROUP BY ALL
    ) WHERE NOT deleted GROUP BY ALL
    UNION ALL SELECT agent, session, 'tasks', count(*) FROM ark.tasks WHERE state <> 'deleted' GROUP BY ALL
    UNION ALL SELECT agent, session, 'conversations', count(*) FROM ark.conversations GROUP BY ALL
    UNION ALL SELECT agent, session, 'messages', count(*) FROM ark.messages m
        JOIN ark.conversations c ON c.number = m.conversation GROUP BY ALL
    UNION ALL SELECT agent, session, 'items', count(*) FROM ark.documents
        WHERE agent <> '' AND folder <> ? AND gone IS NULL GROUP BY ALL
)
SELECT agent, session, kind, count FROM counted ORDER BY agent, session
"""


def scopes(lease: Lease) -> list[ScopeInfo]:
    """Every scope that something is in, by name."""
    found: dict[Scope, dict[str, int]] = {}
    for agent, session, kind, count in lease.rows(COUNTED, HISTORY):
        found.setdefault(Scope(agent, session), {})[kind] = int(count)
    return [ScopeInfo(scope, **counted) for scope, counted in found.items()]
