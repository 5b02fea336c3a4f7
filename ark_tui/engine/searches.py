"""Logged searches: listed, run again, and compared; saved searches compared with their last view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ark_tui.curation import saved as kept
from ark_tui.domain.curation import SavedSearch
from ark_tui.domain.errors import ArkError, Cancelled, NotFound
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.searches import Move, Rerun, Retrieval, SavedDiff
from ark_tui.engine.services import Services
from ark_tui.store import searches as log


def latest(parts: Services, limit: int = 20) -> tuple[Retrieval, ...]:
    """The latest searches, newest first."""
    parts.journal.settle()
    with parts.store.read() as lease:
        return tuple(log.latest(lease, limit))


def rerun(parts: Services, retrieval_id: str, stop: Stop = NEVER) -> Rerun:
    """Run a logged search again, given its id or a prefix of it, and compare the results.

    Raises `NotFound` if there is no such search, or its profile is gone.
    """
    parts.journal.settle()
    with parts.store.read() as lease:
        before = log.get(lease, retrieval_id)
    profiles = parts.settings.profiles
    if before.request.profile not in profiles:
        raise NotFound(
            f"There is no profile {before.request.profile} any more.",
            f"Profiles: {', '.join(sorted(profiles))}.",
        )
    return compared(before, parts.search(replace(before.request, unlogged=True), stop))


def compared(before: Retrieval, after: SearchResult) -> Rerun:
    """Compare the current results of a search with the logged ones."""
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
    return Rerun(before, after, tuple(moves))


def saved_diffs(
    parts: Services, name: str = "", *, seen: bool = False, agent: str = "", stop: Stop = NEVER
) -> tuple[SavedDiff, ...]:
    """Hits that entered, left or moved in a saved search, or in all, since it was last viewed.

    `seen`: record this as a view. `agent`: whose view, by default the configured agent's. Raises `NotFound`
    for an unknown name, and the errors of its search; of several searches, a failed one has a `problem`.
    """
    agent = agent or parts.scope().agent
    with parts.store.read() as lease:
        saved = list(kept.all_saved(lease))
        named = [kept.get(lease, name)] if name else []
    if named:
        return (_diff(parts, named[0], agent, stop, saved if seen else None),)
    found = []
    for one in saved:
        try:
            found.append(_diff(parts, one, agent, stop, saved if seen else None))
        except Cancelled:
            raise
        except ArkError as error:
            found.append(SavedDiff(one.name, one.request.query, None, 0, problem=error.what))
    return tuple(found)


def _diff(
    parts: Services, one: SavedSearch, agent: str, stop: Stop, seen: Sequence[SavedSearch] | None
) -> SavedDiff:
    """The changes of a saved search. `seen`: all saved searches, if this is to be recorded as a view."""
    parts.journal.settle()
    with parts.store.read() as lease:
        known = log.last_look(lease, agent, one.request)
        before = log.get(lease, known) if known else None
    after = parts.search(replace(one.request, unlogged=True, agent=agent), stop)
    if seen is not None:
        parts.journal.keep(replace(one.request, profile=after.profile, agent=agent), after)
        if problem := parts.journal.settle():
            raise problem
        with parts.store.write() as lease:
            log.note_look(lease, agent, one.request, after.retrieval_id, [other.request for other in seen])
    found = SavedDiff(
        one.name, one.request.query, None, len(after.hits), seen=seen is not None, off=after.off
    )
    if before is None:
        return found
    moves = tuple(move for move in compared(before, after).moves if move.kind != "stayed")
    return replace(found, looked=before.at, moves=moves)
