"""Whose memory there is."""

from __future__ import annotations

from ark_tui.domain.layers import HISTORY
from ark_tui.domain.memory import Scope, ScopeInfo
from ark_tui.store.lease import Lease

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
