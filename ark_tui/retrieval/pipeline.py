"""The search, stage by stage: read, first pass, feedback, structure, late interaction, answer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.retrieval import answer, fusion, opening
from ark_tui.retrieval.signals import ranked
from ark_tui.retrieval.state import STAGES, Candidates, Corpus, Proposal, Scored, Search, Signal
from ark_tui.retrieval.timing import Timer

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.query import Request

LEADERS = 3  # chunks of the first pass that feedback is taken from
LISTED = 10_000  # chunks that filters without words may list


def run(corpus: Corpus, request: Request, stop: Stop = NEVER) -> SearchResult:
    """Search; raises `UsageError` for a query or profile that cannot be used, `Cancelled` when stopped."""
    *_, last = _stages(corpus, request, stop, early=False)
    return last


def stages(corpus: Corpus, request: Request, stop: Stop = NEVER) -> Iterator[SearchResult]:
    """Search, and hand out what BM25 alone finds while the rest is on its way."""
    return _stages(corpus, request, stop, early=True)


def _stages(corpus: Corpus, request: Request, stop: Stop, *, early: bool) -> Iterator[SearchResult]:
    timer = Timer()
    search = opening.read(corpus, request, stop)
    timer.lap("read")
    if not search.query.text.strip() and not search.terms:
        yield answer.make(search, [], _scored(search, [], _union(_listed(search))), timer)
        return
    active = opening.active(search)
    first = [signal for signal in active if signal.stage == "first"]
    vectors = _threads().submit(_proposals, search, [s for s in first if s.leg != "words"])
    words = [s for s in first if s.leg == "words"]
    proposals = _proposals(search, words[:1])
    timer.lap("bm25")
    if early and words and len(active) > 1:
        alone = _scored(search, words[:1], _union(proposals))
        yield replace(answer.make(search, words[:1], alone, timer), partial=True)
    proposals += _proposals(search, words[1:])
    proposals += vectors.result()
    active, first = _able(search, active), _able(search, first)
    timer.lap("first pass")
    scored = _later(search, active, _scored(search, first, _union(proposals)), proposals, timer)
    yield answer.make(search, active, scored, timer)


def _later(
    search: Search, active: list[Signal], scored: Scored, proposals: list[Proposal], timer: Timer
) -> Scored:
    """The stages after the first pass. Each may bring candidates, and sees what those before it found."""
    done = [signal for signal in active if signal.stage == "first"]
    for stage in STAGES[1:]:
        signals = [signal for signal in active if signal.stage == stage]
        if not signals or not len(scored.candidates):
            continue
        check(search.stop)
        _look_back(search, scored)
        if more := _proposals(search, signals):
            proposals += more
            scored = _scored(search, done, _union(proposals))
            _look_back(search, scored)
        done += signals
        new = [_column(search, signal, scored.candidates) for signal in signals]
        columns = [*scored.columns, *new]
        scored = Scored(scored.candidates, columns, fusion.total(columns, len(scored.candidates)))
        timer.lap(stage)
    return scored


def _able(search: Search, signals: list[Signal]) -> list[Signal]:
    """The signals without those that turned out not to be able to run."""
    return [signal for signal in signals if signal.info.name not in search.problems]


def _look_back(search: Search, scored: Scored) -> None:
    """Tell the signals of the next stage what has been found so far."""
    if not search.leaders:
        best = scored.candidates.chunks[scored.top(LEADERS)]
        search.leaders = tuple(int(chunk) for chunk in best)
    search.so_far, search.candidates = scored.score, scored.candidates


def _scored(search: Search, signals: list[Signal], candidates: Candidates) -> Scored:
    columns = [_column(search, signal, candidates) for signal in signals]
    return Scored(candidates, columns, fusion.total(columns, len(candidates)))


def _column(search: Search, signal: Signal, candidates: Candidates) -> fusion.Column:
    return fusion.column(signal, signal.values(search, candidates), search.profile)


def _proposals(search: Search, signals: list[Signal]) -> list[Proposal]:
    found = []
    for signal in signals:
        check(search.stop)
        if signal.propose is not None:
            found.append(signal.propose(search, search.profile.depth))
    return found


def _listed(search: Search) -> list[Proposal]:
    """A query of filters alone lists what they let through, the newest first."""
    if "words" in search.problems:
        return []
    return [ranked.proposal(search.corpus.words.listed(search.filters, LISTED))]


def _union(proposals: list[Proposal]) -> Candidates:
    import numpy as np

    chunks = np.concatenate([*(p.chunks for p in proposals), np.empty(0, np.int64)])
    owners = np.concatenate([*(p.documents for p in proposals), np.empty(0, np.int64)])
    unique, first = np.unique(chunks, return_index=True)
    return Candidates(unique, owners[first])


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="vectors")
