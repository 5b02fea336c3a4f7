"""When somebody looked at a saved search last: which search of the log it was, by what was asked for.

What is kept goes by the request and not by its name, so that a saved search may be renamed, and one that has
been changed is a new one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ark_tui.domain.documents import content_hash
from ark_tui.domain.query import Request
from ark_tui.domain.requests import as_json
from ark_tui.store.lease import Lease

LOOK = "look "  # what the keys of looks begin with, among the settings of the store


def last(lease: Lease, agent: str, request: Request) -> str:
    """The retrieval id of an agent's last look at a saved search; empty where it has not looked yet."""
    found = lease.value(
        """SELECT value FROM ark.meta WHERE key = ?
           AND EXISTS (SELECT 1 FROM ark.searches WHERE id = value)""",
        _key(agent, request),
    )
    return str(found or "")


def note(lease: Lease, agent: str, request: Request, retrieval: str, kept: Iterable[Request]) -> None:
    """Note that a search of the log was a look. Looks at what is no longer among those `kept` are dropped."""
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
