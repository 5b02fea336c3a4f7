"""Visibility: the owner and project of an item, and the viewer of the current thread.

Everyone sees a document without an owner, and one without a project belongs to all projects. For a viewer
that is `alone`, the owner of a message is its agent and its project is its session; so it is for candidates
from messages until they are accepted.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.layers import HISTORY, MEMORY
from ark_tui.domain.memory import EVERY, Scope, ScopeInfo
from ark_tui.store.lease import Lease

if TYPE_CHECKING:
    from ark_tui.domain.principal import Viewer

Pair: TypeAlias = "tuple[str, str]"
"""An owner and a project, each empty if there is none."""


_viewer: ContextVar[Viewer | None] = ContextVar("viewer", default=None)


@contextmanager
def seen_by(viewer: Viewer | None) -> Iterator[None]:
    """Restrict what is found within this block to what a viewer sees; None: no restriction."""
    before = _viewer.set(viewer)
    try:
        yield
    finally:
        _viewer.reset(before)


def current() -> Viewer | None:
    """The viewer of this thread."""
    return _viewer.get()


def alone() -> bool:
    """Whether the viewer must not learn about the actions of others."""
    viewer = _viewer.get()
    return viewer is not None and viewer.alone


def visible(table: str = "", said: str = f"folder = '{HISTORY}'") -> tuple[str, list[object]]:
    """The SQL condition for visible rows of documents, with its values; `table` is their alias.

    `said`: the rows whose owner is their agent and whose project is their session, for a viewer that is
    alone.
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


def in_scope(scope: Scope) -> tuple[str, list[str]]:
    """The SQL condition for rows of a scope, with its values; `EVERY` agent or session is no condition."""
    asked = {"agent": scope.agent, "session": scope.session}
    own = {name: value for name, value in asked.items() if value != EVERY}
    return " AND ".join(f"{name} = ?" for name in own) or "true", [*own.values()]


def said_by(column: str) -> tuple[str, list[object]]:
    """As `visible`, for rows with an agent (in `column`) but no owner, such as searches and events."""
    viewer = _viewer.get()
    if viewer is None or not viewer.alone or viewer.agents is None:
        return "true", []
    return f"{column} IN (SELECT unnest(?::VARCHAR[]))", [list(viewer.agents)]


def whose(lease: Lease) -> frozenset[Pair]:
    """The owners and projects that have memories, including those in the trash."""
    rows = lease.rows("SELECT DISTINCT owner, project FROM ark.documents WHERE folder = ?", MEMORY)
    return frozenset((str(owner), str(project)) for owner, project in rows)


def hides(pairs: Iterable[Pair]) -> bool:
    """Whether some memory of these owners and projects may be hidden from the viewer."""
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
    """The numbers of hidden memories, or of hidden messages, ascending."""
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
    """All scopes that contain anything, by name."""
    found: dict[Scope, dict[str, int]] = {}
    for agent, session, kind, count in lease.rows(COUNTED, HISTORY):
        found.setdefault(Scope(agent, session), {})[kind] = int(count)
    return [ScopeInfo(scope, **counted) for scope, counted in found.items()]
