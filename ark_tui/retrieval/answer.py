"""Build the search result: the best chunk of each document, its score parts, snippet and signal statuses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from ark_tui.domain.errors import NotFound
from ark_tui.domain.hits import Hit, Multiplier, SearchResult, SignalStatus, Snippet, Understood
from ark_tui.domain.layers import OWN
from ark_tui.domain.protocols import check
from ark_tui.domain.wording import counted, still_indexed
from ark_tui.retrieval import evidence, floor, ordering, signals, snippet, unknown
from ark_tui.retrieval.opening import BACKENDS_OF_MODE
from ark_tui.retrieval.shown import Shown
from ark_tui.retrieval.state import Scored, Search, Signal

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.domain.hits import Band, Verdict
    from ark_tui.retrieval.chance import Odds
    from ark_tui.retrieval.signals import Listed
    from ark_tui.retrieval.state import Timer
    from ark_tui.store import Lease
    from ark_tui.store.found import Found


def make(
    search: Search,
    used: Sequence[Signal],
    scored: Scored,
    timer: Timer,
    most: int | None = None,
    verdict: Verdict | None = None,
) -> SearchResult:
    """Build the search result from scored candidates, with the requested number of hits but at most `most`.

    `used`: the signals that ran.
    """
    from ark_tui.retrieval import chance

    timer.lap("score")
    with Shown(search) as store:
        order = ordering.ordered(search, scored, store)
        shown = order.best[: search.request.limit][:most]
        chunks = scored.candidates.chunks.tolist()
        alike = ordering.listed(store, chunks, shown, order.under)
        found = store.found([chunks[at] for at in shown]) if shown else {}
        if not found and search.filters.collections and not search.request.typing:
            _check_collections(search, store.lease())
        current = {number: store.current(one) for number, one in found.items()}
        store.lease.close()
        whole = floor.whole(search, verdict, [chunks[at] for at in order.best])
        band = floor.assigned(order.score[order.best], verdict, search.profile, whole)
        odds = chance.found(search, scored, order.best, order.score, verdict, len(shown))
        listing = _Listing(scored, order, dict(zip(order.best, band, strict=True)), odds, alike)
        hits = _hits(search, listing, shown, found, current)
    timer.lap("show")
    return SearchResult(
        query=search.query,
        retrieval_id=os.urandom(6).hex(),
        profile=search.profile.name,
        hits=tuple(hits),
        lamps=tuple(_lamps(search, [signal.info.name for signal in used])),
        took_ms=timer.total(),
        truncated=len(order.best) > len(shown),
        found=len(order.best),
        dropped=len(shown) - len(hits),
        expansion=search.expansion,
        suggestions=unknown.suggestions(search),
        understood=tuple(_understood(search)),
        stages=tuple(timer.laps),
        lowest=band.count("below"),
        verdict=verdict,
    )


@dataclass(frozen=True, slots=True)
class _Listing:
    """Data of hits, by the position of their candidate."""

    scored: Scored
    order: ordering.Order
    band: Mapping[int, Band]
    odds: Mapping[int, Odds]
    alike: Mapping[int, tuple[Document, ...]]


def _hits(
    search: Search,
    listing: _Listing,
    shown: Sequence[int],
    found: Mapping[int, Found],
    current: Mapping[int, Document],
) -> list[Hit]:
    """The hits whose chunks still exist, with the current state of their documents (`current`)."""
    hits: list[Hit] = []
    for i in shown:
        check(search.stop)
        number = int(listing.scored.candidates.chunks[i])
        known = found.get(number)
        if known is None:
            continue
        factors = listing.order.factors.items()
        hits.append(
            Hit(
                rank=len(hits) + 1,
                score=float(listing.order.score[i]),
                document=current[number],
                chunk=known.chunk,
                snippet=_snippet(search, number, known),
                more=listing.order.more[known.number],
                parts=tuple(column.part(i) for column in listing.scored.columns),
                around=tuple(evidence.outside(known, search.terms)),
                multipliers=tuple(Multiplier(name, float(values[i])) for name, values in factors),
                duplicates=listing.alike.get(i, ()),
                band=listing.band[i],
                odds=listing.odds.get(i, ()),
                file=f"{known.root}/{known.document.path}" if known.root else "",
                number=number,
            )
        )
    return hits


def _snippet(search: Search, chunk: int, known: Found) -> Snippet:
    made = search.snippets.get(chunk)
    if made is None:
        made = snippet.make(known.text, known.chunk.start_line, search.terms, known.language)
        search.snippets[chunk] = made
    return made


def _lamps(search: Search, names: Sequence[str]) -> Iterator[SignalStatus]:
    """The status of each signal; `names`: the signals that ran."""
    for signal in signals.LISTED:
        name = signal.info.name
        if search.profile.weights.get(name) or (signal.backend == "model" and name in search.problems):
            said = search.remarks.get(name) or _waiting(search, signal.backend)
            lamp = SignalStatus(name, "on", said) if name in names else _dark(search, signal)
            if lamp.state != "idle" or not signal.quiet:
                yield lamp
    if search.lamp is not None:
        yield search.lamp


def _dark(search: Search, signal: Listed) -> SignalStatus:
    """The status of a signal that did not run."""
    name = signal.info.name
    if signal.backend not in BACKENDS_OF_MODE[search.request.mode]:
        return SignalStatus(name, "idle", f"mode {search.request.mode}")
    if why := search.problems.get(name) or search.problems.get(signal.backend):
        return SignalStatus(name, "off", why)
    if signal.backend == "model" and search.model is None:
        return SignalStatus(name, "idle", "no served model is in use")
    return SignalStatus(name, "idle", search.rests.get(name, "this query has no use for it"))


def _waiting(search: Search, backend: str) -> str:
    if backend == "words":
        return still_indexed(search.corpus.words.waiting)
    index = {"vectors": search.index, "model": search.model and search.model.index}.get(backend)
    waiting = index.waiting if index else 0
    return f"{counted(waiting, 'chunk')} without a vector yet" if waiting else ""


def _understood(search: Search) -> Iterator[Understood]:
    """The parts of the query interpreted as a time or as an exclusion."""
    for time_ in search.times:
        first = time_.first if time_.first > date.min else None
        yield Understood("time", time_.text, first, time_.last if time_.last < date.max else None)
    for text, things in search.query.exclusions:
        yield Understood("exclusion", text, excluded=things)


def _check_collections(search: Search, lease: Lease) -> None:
    """Raise `NotFound` if the query names an unknown collection."""
    from ark_tui.store import files

    known = [info.name for info in files.collections(lease)]
    for name in search.filters.collections:
        if name not in (*known, *OWN):
            raise NotFound(f"There is no collection {name}.", f"Collections: {', '.join(known)}.")
