"""A search whose parts are kept: by a profile that only weighs otherwise it is ranked anew by sums (X6).

A ranking by another profile goes through the same stages as a search does, so that its scores are those of
a search; what a signal has said of a chunk is not asked for again. What depends on the scores of the stage
before follows them: the leaders, and with them the signals of the stage `feedback`, kept by leaders;
neighbours, links and MaxSim, which are worked out anew; the best candidates that a re-ranker reads, of which
it is given those only that it has not read before.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import Expansion
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.retrieval import opening, pipeline
from ark_tui.retrieval.state import Candidates, Proposal, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.profile import Profile
    from ark_tui.domain.query import Request
    from ark_tui.retrieval.pipeline import Ranking
    from ark_tui.retrieval.state import Corpus, Probe, Search


def asked(profile: Profile) -> Hashable:
    """What of a profile the indexes are asked by: two profiles with the same differ in sums alone."""
    return (
        frozenset(name for name, weight in profile.weights.items() if weight),
        frozenset((name, weight != 0) for name, weight in profile.named.items()),
        frozenset(profile.boosts.items()),
        (profile.depth, profile.sigma, profile.stand_in, profile.stop_words),
        (replace(profile.feedback, merge="sum"), profile.graph),
    )


class Kept:
    """One search, which can be ranked by every profile of which the same is `asked`. Thread-safe."""

    def __init__(self, corpus: Corpus, request: Request, profile: Profile, stop: Stop = NEVER) -> None:
        """Reads the query, and asks nothing of an index yet; raises what a search does."""
        request = replace(request, profile=profile.name, adjust=(), instead="")
        self._search = opening.read(replace(corpus, profiles={profile.name: profile}), request, stop)
        self._problems = dict(self._search.problems)
        self._only = opening.only(request, self._search.query, corpus.clock.now())
        self._pulse = -1
        self._said: dict[str, _Remembered] = {}
        self._lock = threading.Lock()

    def ranked(self, profile: Profile, stop: Stop = NEVER) -> Ranking:
        """The ordered ranking by a profile, which asks for the same; raises `Cancelled`."""
        with self._lock:
            self._look()
            search = self._again(profile, stop)
            ranking = pipeline.again(search, [self._remembering(one) for one in opening.active(search)])
            self._search.aliased, self._search.near = search.aliased, search.near
            return ranking.ordered()

    def _look(self) -> None:
        """Forget what was looked up of documents, where anything was written since: a use, a pin."""
        pulse = self._search.corpus.store.pulse()
        if pulse != self._pulse:
            self._pulse = pulse
            self._search.used.clear()
            self._search.found.clear()

    def _again(self, profile: Profile, stop: Stop) -> Search:
        """The search as it was read, by another profile."""
        read = self._search
        profile = opening.suited(profile, read.request, read.query, read.times, only=self._only)
        probes = {ask: probe for said in self._said.values() for ask, probe in said.probes.items()}
        return replace(
            read, profile=profile, stop=stop, problems=dict(self._problems), probes=probes, rests={},
            remarks={}, leaders=None, so_far=None, candidates=None, added=None, feedback=None,
            told=Expansion(), walk=None, looked={},
        )  # fmt: skip

    def _remembering(self, signal: Signal) -> Signal:
        """A signal that keeps what it says."""
        return self._said.setdefault(signal.info.name, _Remembered(signal)).remembering()


@dataclass(slots=True)
class _Values:
    """What a signal said while it was asked for the same: of chunks, ascending by number."""

    proposal: Proposal | None = None
    floor: tuple[float | None, ...] = ()  # empty: not asked for yet
    chunks: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    raw: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def look_up(self, chunks: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which of the chunks are known, and the values of all; of one that is not known, any."""
        if not len(self.chunks):
            return np.zeros(len(chunks), bool), np.zeros(len(chunks))
        at = np.searchsorted(self.chunks, chunks).clip(max=len(self.chunks) - 1)
        return self.chunks[at] == chunks, self.raw[at]

    def add(self, chunks: NDArray[np.int64], raw: NDArray[np.float64]) -> None:
        """Keep the values of chunks that were not known."""
        every = np.concatenate([self.chunks, chunks])
        order = np.argsort(every, kind="stable")
        self.chunks, self.raw = every[order], np.concatenate([self.raw, raw])[order]


class _Remembered:
    """A signal with what it has said in one search."""

    def __init__(self, signal: Signal) -> None:
        self._signal = signal
        self._said: dict[tuple[int, ...] | None, _Values] = {}  # by leaders, where they have a say
        self._notes: dict[tuple[int, ...] | None, tuple[str | None, ...]] = {}
        self.probes: dict[object, Probe | None] = {}  # of the first stage, which no leader changes

    def remembering(self) -> Signal:
        """The signal, asking itself for what it has not said yet."""
        signal = self._signal
        if signal.stage in {"first", "feedback"}:
            propose = self._propose if signal.propose else None
            return replace(signal, propose=propose, values=self._values, floor=self._floor)
        return replace(signal, values=self._read) if signal.reads else signal

    def _key(self, search: Search) -> tuple[int, ...] | None:
        return search.leaders if self._signal.stage == "feedback" else None

    def _known(self, search: Search) -> _Values:
        return self._said.setdefault(self._key(search), _Values())

    def _propose(self, search: Search, limit: int) -> Proposal:
        known = self._known(search)
        if known.proposal is None:
            assert self._signal.propose
            known.proposal = self._signal.propose(search, limit)
            self._note(search)
            if self._signal.stage == "first":
                self.probes = dict(search.probes)
        self._tell(search)
        return known.proposal

    def _values(self, search: Search, candidates: Candidates) -> NDArray[np.float64]:
        known = self._known(search)
        there, _ = known.look_up(candidates.chunks)
        if not there.all():
            fresh = Candidates(candidates.chunks[~there], candidates.documents[~there])
            known.add(fresh.chunks, self._signal.values(search, fresh))
        return known.look_up(candidates.chunks)[1]

    def _floor(self, search: Search) -> float | None:
        known = self._known(search)
        if not known.floor:
            known.floor = (self._signal.floor(search),)
        return known.floor[0]

    def _read(self, search: Search, candidates: Candidates) -> NDArray[np.float64]:
        """The values of the best candidates so far; the signal reads those that it has not read before."""
        raw = np.full(len(candidates), self._signal.nothing)
        so_far = search.so_far
        if so_far is None:
            return raw
        best = np.sort(np.argsort(-so_far, kind="stable")[: self._signal.reads])
        known = self._known(search)
        fresh = best[~known.look_up(candidates.chunks[best])[0]]
        if len(fresh):
            search.so_far = so_far[fresh]
            unread = Candidates(candidates.chunks[fresh], candidates.documents[fresh])
            known.add(unread.chunks, self._signal.values(search, unread))
            search.so_far = so_far
            self._note(search)
        self._tell(search)
        raw[best] = known.look_up(candidates.chunks[best])[1]
        return raw

    def _note(self, search: Search) -> None:
        """Keep what the signal has noted of itself: why it need not or cannot run."""
        name = self._signal.info.name
        self._notes[self._key(search)] = tuple(notes.get(name) for notes in _notes_of(search))

    def _tell(self, search: Search) -> None:
        """Note the same in another ranking of the search."""
        kept = self._notes.get(self._key(search), (None,) * len(_notes_of(search)))
        for notes, said in zip(_notes_of(search), kept, strict=True):
            if said is not None:
                notes[self._signal.info.name] = said


def _notes_of(search: Search) -> tuple[dict[str, str], ...]:
    return search.problems, search.rests, search.remarks
