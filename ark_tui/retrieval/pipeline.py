"""The search stages: parsing, first pass, feedback, structure, late interaction, re-ranking, result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.retrieval import answer, evidence, feedback, floor, fusion, opening
from ark_tui.retrieval.signals import bm25, model
from ark_tui.retrieval.state import STAGES, Candidates, Corpus, Proposal, Scored, Search, Signal, Timer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import SearchResult, Verdict
    from ark_tui.domain.query import Request
    from ark_tui.retrieval.state import Column

T = TypeVar("T")

Proposals: TypeAlias = dict[str, Proposal]  # by the name of the signal

THREADS = max(1, (os.cpu_count() or 2) - 1)  # for vector search; one core stays free for the user interface
SOON = 0.005  # seconds that the early BM25 result waits for vectors to be opened
EARLY = 25  # hits of the early BM25 result
LISTED = 10_000  # maximum chunks listed for a query of filters only


@dataclass(frozen=True, slots=True)
class Ranking:
    """The scored candidates of a search, before the result is built."""

    search: Search
    signals: list[Signal]  # those that ran
    scored: Scored
    timer: Timer
    verdict: Verdict | None = None
    early: bool = False  # BM25 only, while the other signals run

    def answer(self) -> SearchResult:
        """Build the search result with the best candidates as hits."""
        most = EARLY if self.early else None
        made = answer.make(self.search, self.signals, self.scored, self.timer, most, self.verdict)
        if self.early:
            return replace(made, partial=True)
        request = self.search.request
        judged = made if request.typing else made.with_abstention()
        listed = judged.with_below() if request.below else judged
        return evidence.explained(self.search, self.scored, listed) if request.explain else listed


def stages(corpus: Corpus, request: Request, stop: Stop = NEVER) -> Iterator[SearchResult]:
    """Search, and yield the BM25 results first while the other signals run."""
    return (ranking.answer() for ranking in _stages(corpus, request, stop, early=True))


def ranking(corpus: Corpus, request: Request, stop: Stop = NEVER) -> Ranking:
    """Search, and return all candidates with their score parts. Raises the same errors as `run`."""
    *_, last = _stages(corpus, request, stop, early=False)
    return last


def _stages(
    corpus: Corpus, request: Request, stop: Stop, *, early: bool, away: str = ""
) -> Iterator[Ranking]:
    """Run the stages of a search. `away`: why the search falls back to another profile without the model."""
    timer = Timer()
    search = opening.read(corpus, request, stop)
    if away:
        search.problems[model.INFO.name] = away
    timer.lap("read")
    if not search.query.text.strip() and not search.terms:
        yield Ranking(search, [], _scored(search, [], _union(_listed(search)), {}), timer)
        return
    opened = _threads().submit(copy_context().run, opening.open_vectors, search)
    if early and opening.has_words(search) and wait((opened,), SOON).not_done:
        alone = replace(search, problems={**search.problems})  # the other thread changes those of the search
        yield _early(alone, [bm25.SIGNAL], _proposals(alone, [bm25.SIGNAL]), timer)
        early = False
    opened.result()
    active = opening.active(search)
    first = [signal for signal in active if signal.stage == "first"]
    words = [signal for signal in first if signal.backend == "words"]
    vectors = _begin(search, [signal for signal in first if signal.backend != "words"])
    found = _proposals(search, words[:1])
    timer.lap("bm25")
    if early and words and len(active) > 1:
        yield _early(search, words[:1], found, timer)
    found |= _proposals(search, words[1:])
    found |= vectors.answers()
    if request.instead and (why := search.problems.get(model.INFO.name)):
        again = replace(request, profile=request.instead, instead="")
        yield from _stages(corpus, again, stop, early=False, away=why)
        return
    active, first = _able(search, active), _able(search, first)
    timer.lap("first pass")
    scored = _later(search, active, _scored(search, first, _union(found), found), found, timer)
    verdict = floor.judge(search, scored)
    timer.lap("evidence")
    yield Ranking(search, _able(search, active), scored, timer, verdict)


def _early(search: Search, words: list[Signal], found: Proposals, timer: Timer) -> Ranking:
    """The result of BM25 alone."""
    return Ranking(search, words, _scored(search, words, _union(found), found), timer, early=True)


def _later(search: Search, active: list[Signal], scored: Scored, found: Proposals, timer: Timer) -> Scored:
    """Run the stages after the first pass. Each may add candidates, and sees the results of earlier ones."""
    done = [signal for signal in active if signal.stage == "first"]
    for stage in STAGES[1:]:
        signals = [signal for signal in active if signal.stage == stage]
        if not signals or not (len(scored.candidates) or search.asked):
            continue
        check(search.stop)
        _look_back(search, scored)
        if more := _proposals(search, signals):
            found |= more
            scored = _grown(search, done, scored, _union(found))
            _look_back(search, scored)
        search.looked[stage] = scored.candidates, scored.score
        signals = _able(search, signals)
        ask = partial(_column, search, candidates=scored.candidates, found=found)
        new = [column for column in _each(ask, signals) if column.name not in search.problems]
        done += [column.signal for column in new]
        columns = fusion.merged([*scored.columns, *new], search.profile)
        scored = Scored(scored.candidates, columns, fusion.total(columns, len(scored.candidates)))
        timer.lap(stage)
    return scored


def _able(search: Search, signals: list[Signal]) -> list[Signal]:
    """The signals without those that failed or are not needed."""
    away = search.problems.keys() | search.rests.keys()
    return [signal for signal in signals if signal.info.name not in away]


def _look_back(search: Search, scored: Scored) -> None:
    """Store the current candidates, scores and leaders for the signals of the next stage."""
    search.so_far, search.candidates = scored.score, scored.candidates
    if search.leaders is None:
        search.leaders = feedback.leaders(search)


def _scored(
    search: Search, signals: list[Signal], candidates: Candidates, found: Mapping[str, Proposal]
) -> Scored:
    ask = partial(_column, search, candidates=candidates, found=found)
    columns = fusion.merged(_each(ask, signals), search.profile)
    return Scored(candidates, columns, fusion.total(columns, len(candidates)))


def _column(search: Search, signal: Signal, candidates: Candidates, found: Mapping[str, Proposal]) -> Column:
    """The column of a signal; values known from its proposal are not computed again."""
    check(search.stop)
    own = found.get(signal.info.name)
    if own is None or own.raw is None:
        raw = signal.values(search, candidates)
    else:
        raw = _filled(search, signal, candidates, own.chunks, own.raw)
    floor = signal.floor(search) if search.profile.fusion == "convex" else None  # ranks have none
    return fusion.column(signal, raw, search.profile, floor)


def _grown(search: Search, signals: list[Signal], before: Scored, candidates: Candidates) -> Scored:
    """Extend the scores to more candidates. This needs signals that score each candidate independently."""
    known = {column.name: column for column in before.columns}

    def grown(signal: Signal) -> Column:
        column = known[signal.info.name]
        raw = _filled(search, signal, candidates, before.candidates.chunks, column.raw)
        return fusion.column(signal, raw, search.profile, column.floor)

    columns = fusion.merged(_each(grown, signals), search.profile)
    return Scored(candidates, columns, fusion.total(columns, len(candidates)))


def _filled(
    search: Search, signal: Signal, candidates: Candidates, known: NDArray[np.int64], raw: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The signal's values of the candidates, computing only those not in `known`."""
    import numpy as np

    values = np.empty(len(candidates))
    at = np.searchsorted(candidates.chunks, known)
    values[at] = raw
    fresh = np.ones(len(candidates), bool)
    fresh[at] = False
    if fresh.any():
        values[fresh] = signal.values(
            search, Candidates(candidates.chunks[fresh], candidates.documents[fresh])
        )
    return values


class _Begun(Generic[T]):
    """Calls of `ask` for some signals, in worker threads."""

    def __init__(self, ask: Callable[[Signal], T], signals: Iterable[Signal]) -> None:
        self._ask = ask
        self._begun = {signal.info.name: (signal, _threads().submit(ask, signal)) for signal in signals}

    def answers(self) -> dict[str, T]:
        """The results by signal name. Calls not yet started run in this thread, the last one first."""
        return {
            name: self._ask(signal) if answer.cancel() else answer.result()
            for name, (signal, answer) in reversed(self._begun.items())
        }


def _begin(search: Search, signals: list[Signal]) -> _Begun[Proposal]:
    """Start the proposals of signals in worker threads."""
    return _Begun(partial(_proposal, search), (signal for signal in signals if signal.propose is not None))


def _proposals(search: Search, signals: list[Signal]) -> Proposals:
    """The proposals of signals: the last one runs in this thread, the others in parallel."""
    able = [signal for signal in signals if signal.propose is not None]
    others = _begin(search, able[:-1])
    last = {signal.info.name: _proposal(search, signal) for signal in able[-1:]}
    return others.answers() | last


def _each(ask: Callable[[Signal], T], signals: list[Signal]) -> list[T]:
    """Call `ask` for each signal, in order: word signals in this thread, the others in parallel."""
    words = [signal for signal in signals if signal.backend == "words"]
    others = _Begun(ask, (signal for signal in signals if signal.backend != "words"))
    answers = {signal.info.name: ask(signal) for signal in words} | others.answers()
    return [answers[signal.info.name] for signal in signals]


def _proposal(search: Search, signal: Signal) -> Proposal:
    check(search.stop)
    assert signal.propose, signal.info.name
    return signal.propose(search, search.profile.depth)


def _listed(search: Search) -> Proposals:
    """The proposal for a query of filters only: the chunks that match."""
    if "words" in search.problems:
        return {}
    return {"": Proposal.of(search.corpus.words.listed(search.filters, LISTED))}


def _union(found: Proposals) -> Candidates:
    import numpy as np

    chunks = np.concatenate([*(p.chunks for p in found.values()), np.empty(0, np.int64)])
    owners = np.concatenate([*(p.documents for p in found.values()), np.empty(0, np.int64)])
    unique, first = np.unique(chunks, return_index=True)
    return Candidates(unique, owners[first])


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="vectors")
