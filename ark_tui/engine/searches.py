"""Searches of the log, run again and compared."""

from __future__ import annotations

import dataclasses
from typing import Any

from ark_tui.domain.errors import NotFound
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.domain.searches import Move, Rerun, Retrieval
from ark_tui.engine.services import Services
from ark_tui.retrieval import query
from ark_tui.settings import ranking
from ark_tui.store import accesses


def compared(parts: Services, before: Retrieval, after: SearchResult) -> Rerun:
    """What a search lists today against what it listed."""
    ranks = {hit.document.id: hit for hit in after.hits}
    moves = [
        Move(a.document, a.title, a.path, a.rank, ranks[a.document].rank if a.document in ranks else None)
        for a in before.answers
    ]
    known = {a.document for a in before.answers}
    moves += [
        Move(hit.document.id, hit.document.title, hit.document.path, None, hit.rank)
        for hit in after.hits
        if hit.document.id not in known
    ]
    return Rerun(before, after, tuple(moves), tuple(_differing(parts, before, after)))


def again(parts: Services, before: Retrieval) -> Request:
    """The request of a search that was kept, to be run once more without being kept."""
    if before.request.profile not in parts.settings.profiles:
        raise NotFound(
            f"There is no profile {before.request.profile} any more.",
            f"Profiles: {', '.join(sorted(parts.settings.profiles))}.",
        )
    return dataclasses.replace(before.request, unlogged=True)


def fingerprint(parts: Services) -> str:
    """The model whose vectors searches use; empty where there is none."""
    if served := parts.model_in_use():
        return served.fingerprint
    return parts.embedder.fingerprint if parts.embedder else ""


def from_chat(result: SearchResult) -> tuple[str, ...]:
    """The terms that a chat model added to the query."""
    return result.expansion.chat


def as_kept(profile: Profile) -> dict[str, Any]:
    """All parameters of a profile."""
    return dataclasses.asdict(profile)


def _profile(parts: Services, request: Request) -> Profile:
    """The profile that a request is answered by today, with its own changes."""
    return ranking.changed(parts.settings.profiles[request.profile], request.adjust)


def _differing(parts: Services, before: Retrieval, after: SearchResult) -> list[str]:
    profile = _profile(parts, before.request)
    now = {
        "corpus": parts.store.change() == before.change,
        "model": fingerprint(parts) == before.model,
        "profile": as_kept(profile) == before.profile,
        "terms": before.terms in (None, from_chat(after)),
        "day": _same_times(parts, before, profile),
        "use": profile.access is None or not _used_since(parts, before),
    }
    return [name for name, same in now.items() if not same]


def _same_times(parts: Services, before: Retrieval, profile: Profile) -> bool:
    """Whether ages and times that count from today are what they were."""
    now, request = parts.clock.now(), before.request
    if now.date() == before.at.date():
        return True
    read = [
        query.parse(request.query, moment, fields=parts.corpus.has_field).filters
        for moment in (before.at, now)
        if not request.literal
    ]
    return profile.decay is None and len(set(read)) <= 1


def _used_since(parts: Services, before: Retrieval) -> bool:
    """Whether the agent that searched has made use of anything after that."""
    with parts.store.read() as lease:
        return accesses.any_since(lease, before.request.agent, before.at)
