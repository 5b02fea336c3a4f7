"""Recall by role (M9), one search per tier that the role trusts; and the bundle of an expert (M10)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeAlias

from ark_tui.domain.dates import query as when
from ark_tui.domain.documents import Tier
from ark_tui.domain.errors import ArkError, Cancelled, Hint, UsageError
from ark_tui.domain.hits import Hit, SearchResult, SignalStatus
from ark_tui.domain.memory import Scope
from ark_tui.domain.outcomes import EXPERT_CALL, Event
from ark_tui.domain.protocols import Clock
from ark_tui.domain.query import Filters, Request
from ark_tui.domain.recall import ROLES, Bundle, Recall, TierSearch
from ark_tui.index.filters import both
from ark_tui.memory import outcomes
from ark_tui.store import Store, events, overview

Search: TypeAlias = "Callable[[Request], SearchResult]"
"""One search through the whole pipeline."""


def tiers(role: str) -> tuple[Tier, ...]:
    """The tiers that a role recalls from. Raises `UsageError`, which lists the roles."""
    if role not in ROLES:
        raise UsageError(f"There is no role {role or '(empty)'}.", f"Roles: {', '.join(ROLES)}.")
    return ROLES[role]


def recall(search: Search, request: Request, role: str) -> Recall:
    """The recall of a role: a search in each of its tiers, merged; each document once, by its higher score.

    A tier that fails is reported, and the others answer; if all fail, raises the error.
    """
    wanted = tiers(role)
    if not request.query.strip():
        raise UsageError("There is nothing to recall.", "Give a query in words.")
    if request.limit < 1:
        raise UsageError(f"The limit {request.limit} is too small.", "Ask for at least one document.")
    results: list[SearchResult] = []
    told: list[TierSearch] = []
    failed: list[ArkError] = []
    for tier in wanted:
        filters = both(request.filters, Filters(tiers=(tier,)))
        filters = replace(filters, superseded=request.filters.superseded)
        try:
            found = search(replace(request, filters=filters, unlogged=True))
        except (UsageError, Cancelled):
            raise
        except ArkError as error:
            failed.append(error)
            told.append(TierSearch(tier, problem=error.what))
        else:
            results.append(found)
            told.append(TierSearch(tier, found.found))
    if not results:
        raise failed[0]
    return Recall(role, tuple(told), merged(results, request.limit))


def merged(results: Sequence[SearchResult], limit: int) -> SearchResult:
    """Several results as one, with a new retrieval id; newer documents first where scores tie."""
    best: dict[str, Hit] = {}
    for hit in (hit for result in results for hit in result.hits):
        known = best.get(hit.document.id)
        if known is None or hit.score > known.score:
            best[hit.document.id] = hit
    order = sorted(
        best.values(),
        key=lambda hit: (-hit.score, -(hit.document.date or date.min).toordinal(), hit.document.id),
    )
    return replace(
        results[0],
        retrieval_id=uuid.uuid4().hex[:12],
        hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(order[:limit], start=1)),
        lamps=tuple(_lamps(results)),
        took_ms=sum(result.took_ms for result in results),
        abstained=all(result.abstained for result in results),
        below_floor=sum(result.below_floor for result in results),
        truncated=len(order) > limit or any(result.truncated for result in results),
        found=sum(result.found for result in results),
        dropped=sum(result.dropped for result in results),
        stages=(),
    )


def _lamps(results: Sequence[SearchResult]) -> Iterable[SignalStatus]:
    """The status of each signal: off if it was off in any result, else on if it ran in any."""
    order = ("off", "on", "idle")
    found: dict[str, SignalStatus] = {}
    for lamp in (lamp for result in results for lamp in result.lamps):
        known = found.get(lamp.signal)
        if known is None or order.index(lamp.state) < order.index(known.state):
            found[lamp.signal] = lamp
    return found.values()


_UNITS = {"m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400, "w": 604800,
          "week": 604800}  # fmt: skip
_BACK = re.compile(
    rf"(?P<count>\d{{1,6}})[\s-]*(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})s?(?:[\s-]+ago)?",
    re.IGNORECASE,
)


def since(text: str, now: datetime) -> datetime:
    """Parse a time, in UTC; a day means its midnight. Raises `UsageError`."""
    given = text.strip()
    if match := _BACK.fullmatch(given):
        try:
            return now - timedelta(seconds=int(match["count"]) * _UNITS[match["unit"].lower()])
        except OverflowError:
            return datetime.min.replace(tzinfo=UTC)
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        day = when.day(given, now)
        if day is None:
            raise UsageError(
                f"{text or 'Nothing'} names no time.",
                "Say 2026-03-01, 2026-03-01T12:00Z, yesterday, last week, 3 days ago or 36 hours.",
            ) from None
        moment = datetime.combine(day, time())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


LONGEST_WINDOW = 36_500  # days


def expert(
    store: Store,
    clock: Clock,
    domain: str,
    scope: Scope,
    *,
    issue_number: int | None = None,
    limit: int = 5,
    recency_window_days: int = 30,
    path_prefix: str = "",
) -> Bundle:
    """The bundle for a domain: a tag, optionally narrowed by a path prefix. `scope`: who asks.

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
        EXPERT_CALL, issue_number=issue_number, session_id=scope.session, agent_id=scope.agent,
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
