"""An expert's bundle for a domain (M10): reviewed knowledge, recent reflections, and outcomes."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from ark_tui.domain.errors import ArkError, Hint, UsageError
from ark_tui.domain.outcomes import EXPERT_CALL, Event
from ark_tui.domain.protocols import Clock
from ark_tui.domain.recall import Bundle
from ark_tui.memory import outcomes
from ark_tui.store import Store, events, overview

LONGEST_WINDOW = 36_500  # days


def expert(
    store: Store,
    clock: Clock,
    domain: str,
    *,
    issue_number: int | None = None,
    limit: int = 5,
    recency_window_days: int = 30,
    path_prefix: str = "",
    session_id: str = "",
    agent_id: str = "",
) -> Bundle:
    """The bundle for a domain: a tag, optionally narrowed by a path prefix.

    The call is recorded as an event; if that fails, the bundle is the same with a warning.
    """
    tag = domain.strip().removeprefix("#")
    _check(tag, limit, recency_window_days)
    prefix = path_prefix.strip().removeprefix("./")
    window = clock.now().date() - timedelta(days=recency_window_days)
    with store.read() as lease:
        wiki = overview.tagged(lease, tag, "wiki", path_prefix=prefix, since=None, limit=limit)
        recent = overview.tagged(lease, tag, "reflection", path_prefix=prefix, since=window, limit=limit)
        prior = events.about(lease, tag, prefix, limit, without=EXPERT_CALL)
    window_days, under = recency_window_days, f" under {prefix}" if prefix else ""
    nothing = f"no wiki document, no reflection of the last {window_days} days."
    warning = "" if wiki or recent else f"Nothing is known about {tag}{under}: {nothing}"
    query_id = str(uuid.uuid4())
    payload: dict[str, Any] = {
        "query_id": query_id,
        "domain": tag,
        "returned_doc_ids": [one.id for one in (*wiki, *recent)],
        "limit": limit,
        "recency_window_days": recency_window_days,
        "path_prefix": prefix or None,
        "warning": warning or None,
    }
    event = Event(
        EXPERT_CALL, issue_number=issue_number, session_id=session_id, agent_id=agent_id,
        payload=payload, query_id=query_id,
    )  # fmt: skip
    outcomes.check(event)
    try:
        with store.write() as lease:
            events.put(lease, event)
    except ArkError as error:
        warning = " ".join(filter(None, (warning, f"This call was not recorded: {error.what}")))
    return Bundle(query_id, tag, tuple(wiki), tuple(recent), tuple(prior), warning)


def _check(tag: str, limit: int, window: int) -> None:
    if not tag:
        raise UsageError(
            "An expert needs a domain.", Hint.run("memory expert", "retrieval", say="Name a tag, as in `{}`.")
        )
    if limit < 1:
        raise UsageError(f"The limit {limit} is too small.", "Ask for at least one document.")
    if not 0 <= window <= LONGEST_WINDOW:
        raise UsageError(f"{window} days is not a valid time.", "Say how many days back, such as 30.")
