"""Shared state of the stages of one search: the corpus, the parsed query, the candidates."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from ark_tui.domain.errors import Hint, ModelUnavailable
from ark_tui.domain.hits import Expansion, Part, SignalInfo
from ark_tui.domain.query import Field, Filters, Listed, Not
from ark_tui.index import filters as trees
from ark_tui.index.protocols import Ranked
from ark_tui.store import fields, owners

if TYPE_CHECKING:
    from datetime import timedelta

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.dates.text import QueryPeriod
    from ark_tui.domain.hits import SignalStatus, Snippet
    from ark_tui.domain.principal import Viewer
    from ark_tui.domain.profile import Profile
    from ark_tui.domain.protocols import Clock, Stop
    from ark_tui.domain.query import Query, Request
    from ark_tui.domain.reasons import Reasons
    from ark_tui.embedding.reranker import Reranker
    from ark_tui.embedding.served import QueryVectors
    from ark_tui.embedding.waiting import Asked
    from ark_tui.index.protocols import Nearest
    from ark_tui.index.vectors.snapshot import Snapshot
    from ark_tui.index.words.reader import Words
    from ark_tui.index.words.terms import Terms
    from ark_tui.retrieval.expansion import Asking, Expander
    from ark_tui.store import Store
    from ark_tui.store.found import Found


Stage = Literal["first", "feedback", "structure", "late", "rerank"]
STAGES: tuple[Stage, ...] = get_args(Stage)
OTHERS = Field("owner")


def no_reranker(_: str) -> Reranker:
    """Default of `Corpus.reranker`: raises `ModelUnavailable`."""
    raise ModelUnavailable(
        "No re-ranker is here.", Hint.run("models add", "ms-marco-minilm", say="`{}` brings one.")
    )


@dataclass(frozen=True, slots=True)
class Served:
    """The served model in use. `budget`: seconds that a search waits for its query vector."""

    name: str
    vectors: Callable[[], Snapshot | None]
    queries: QueryVectors
    budget: float


@dataclass(frozen=True, slots=True)
class Opened:
    """The served model in one search: its vector index, and the pending query vector."""

    served: Served
    index: Snapshot
    asked: Asked[NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The searched corpus: store, indexes, profiles and models."""

    store: Store
    words: Words
    vectors: Callable[[], Snapshot | None]  # of the embedded model; None if there are none yet
    profiles: Mapping[str, Profile]
    clock: Clock
    decay: bool = True
    served: Callable[[], Served | None] = lambda: None  # the served model in use, if any
    messages: Callable[[], Words | None] = lambda: None  # the up-to-date word index of messages
    retention: Mapping[int, timedelta] = field(default_factory=dict)  # by layer
    expander: Callable[[], Expander | None] = lambda: None  # for query expansion; None: switched off
    expands_unasked: bool = True  # whether to expand vague queries without a request for it
    reranker: Callable[[str], Reranker] = no_reranker  # by name; empty: the one added last
    firsts: Callable[[Sequence[int]], list[int]] | None = None  # of duplicate chunks; see `Repeats`
    others: dict[Viewer, tuple[int, array[int]]] = field(default_factory=dict)
    """The documents hidden from each viewer, with the store change for which they are valid."""

    def has_field(self, key: str) -> bool:
        """Whether any document has a field with this key, such as in its front matter."""
        with self.store.read() as lease:
            return fields.known(lease, key)

    def listed(self, filters: Filters) -> Filters:
        """Resolve field conditions of the filters to lists of documents."""
        if filters.where is None or not trees.asks_for(filters.where, Field):
            return filters
        with self.store.read() as lease:
            where = trees.resolved(
                filters.where, Field, lambda one: Listed(one, array("q", fields.documents(lease, one)))
            )
        return replace(filters, where=where)

    def seen(self, filters: Filters, *, messages: bool = False) -> Filters:
        """Add a filter that hides documents of other owners from the current viewer."""
        viewer = owners.current()
        if viewer is None or not (messages or owners.hides(self.store.whose())):
            return filters
        now = self.store.change()
        known, others = self.others.get(viewer, (-1, array("q")))
        if messages or known != now:
            with self.store.read() as lease:
                others = owners.hidden(lease, messages=messages)
        if not messages:
            self.others[viewer] = now, others
        return trees.both(filters, Filters(where=Not(Listed(OTHERS, others)))) if others else filters


@dataclass(slots=True)
class Timer:
    """Measures the milliseconds of each stage of a search."""

    start: float = field(default_factory=time.perf_counter)
    laps: list[tuple[str, float]] = field(default_factory=list)
    last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps.append((name, round((now - self.last) * 1000, 3)))
        self.last = now

    def total(self) -> float:
        return round((time.perf_counter() - self.start) * 1000, 3)


@dataclass(slots=True)
class Search:
    """The state of one search. `problems`: why a backend or signal cannot run, by name."""

    request: Request
    query: Query
    terms: Terms
    filters: Filters
    profile: Profile
    corpus: Corpus
    stop: Stop
    index: Snapshot | None = None
    model: Opened | None = None  # the served model, if used
    times: tuple[QueryPeriod, ...] = ()  # that the query names
    corrected: Mapping[str, str] = field(default_factory=dict)  # corrections added for words in no document
    problems: dict[str, str] = field(default_factory=dict)
    probes: dict[object, Probe | None] = field(default_factory=dict)  # of cosine signals
    rests: dict[str, str] = field(default_factory=dict)  # why a signal is idle, by name
    remarks: dict[str, str] = field(default_factory=dict)  # status messages of running signals, by name
    leaders: tuple[int, ...] | None = None  # the best chunks of the first pass, in order; see `feedback`
    so_far: NDArray[np.float64] | None = None  # scores of the candidates by earlier stages
    candidates: Candidates | None = None  # the candidates of `so_far`
    added: Expansion | None = None  # expansion words from the leaders
    asked: Asking | None = None  # the pending terms of a chat model; see `expansion`
    chat_only: bool = False  # whether `expanded` searches only these, not the leaders' words
    feedback: Terms | None = None  # terms of expanded BM25: from the leaders and the chat model
    told: Expansion = field(default_factory=Expansion)  # the chat model's terms
    walk: list[tuple[NDArray[np.int64], NDArray[np.float64]]] | None = None  # along links; see `graph`
    near: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None  # in time; see `proximity`
    lamp: SignalStatus | None = None  # status of the chat model
    phrase: Proposal | None = None  # the texts that contain the query verbatim; see `verbatim`
    looked: dict[Stage, tuple[Candidates, NDArray[np.float64]]] = field(default_factory=dict)  # see `as_of`
    found: dict[int, Found] = field(default_factory=dict)  # display data by chunk, shared by all stages
    tokens: dict[int, NDArray[np.uint16]] = field(default_factory=dict)  # of texts, by chunk; see `maxsim`
    snippets: dict[int, Snippet] = field(default_factory=dict)  # likewise
    used: dict[int, int] = field(default_factory=dict)  # accesses by document number

    @property
    def expansion(self) -> Expansion:
        """The terms added to the query, with their sources."""
        return self.told.beside(self.added or Expansion())

    def as_of(self, stage: Stage) -> Search:
        """The search as the signals of a stage saw it: with the candidates and scores of earlier stages."""
        if stage not in self.looked:
            return self
        candidates, so_far = self.looked[stage]
        return replace(self, candidates=candidates, so_far=so_far)


@dataclass(frozen=True, slots=True)
class Probe:
    """The index and query vector of a cosine signal."""

    index: Snapshot
    vector: NDArray[np.float32]


@dataclass(slots=True)
class Candidates:
    """The chunks to score and their documents, parallel arrays in ascending chunk order."""

    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chunks)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A signal's best chunks of the whole corpus.

    `raw`: the signal's values of these chunks, if already computed.
    """

    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]
    raw: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, found: Ranked | Nearest | None) -> Proposal:
        """Convert the result of an index; None gives an empty proposal."""
        import numpy as np

        if found is None:
            return cls(np.empty(0, np.int64), np.empty(0, np.int64))
        chunks, documents = np.asarray(found.chunks, np.int64), np.asarray(found.documents, np.int64)
        if isinstance(found, Ranked):
            return cls(chunks, documents, np.array(found.scores, np.float64))
        return cls(chunks, documents)


@dataclass(slots=True)
class Scored:
    """Candidates with the columns of the signals that ran, and the total score."""

    candidates: Candidates
    columns: list[Column]
    score: NDArray[np.float64]

    def top(self, count: int) -> list[int]:
        """The positions of the best candidates."""
        import numpy as np

        order: list[int] = np.argsort(-self.score, kind="stable")[:count].tolist()
        return order


@dataclass(frozen=True, slots=True)
class Signal:
    """One ranking signal.

    `propose`: returns the best chunks of the corpus, if the signal can propose candidates.
    `values`: returns the raw value of each candidate. A candidate is found if its value is above `nothing`.
    `normalise`: maps the raw values of the candidates to 0…1.
    `reads`: the number of best candidates that a slow signal of a later stage scores one by one; 0: it scores
    all candidates together. Signals of the first two stages always score each candidate independently.
    `reasons`: returns the reasons for the values of some candidates, highest contribution first.
    """

    info: SignalInfo
    backend: str  # "words", "vectors", "model" or "texts"; in the first pass they run in parallel
    propose: Callable[[Search, int], Proposal] | None
    values: Callable[[Search, Candidates], NDArray[np.float64]]
    normalise: Callable[[NDArray[np.float64]], NDArray[np.float64]] = lambda raw: raw
    nothing: float = 0.0
    stage: Stage = "first"
    applies: Callable[[Search], bool] = lambda _: True  # whether the signal is useful for this query
    order: int = 1000  # position among the signals
    floor: Callable[[Search], float | None] = lambda _: None  # the value expected by chance; see `fusion`
    quiet: bool = False  # whether its status is hidden when idle
    reads: int = 0
    reasons: Callable[[Search, Candidates, Sequence[Found]], list[Reasons]] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One signal's values for all candidates. `by`: the values that determine ranks, if not `raw`."""

    signal: Signal
    weight: float
    raw: NDArray[np.float64]
    normalised: NDArray[np.float64]
    contribution: NDArray[np.float64]
    floor: float | None = None
    by: NDArray[np.float64] | None = None

    @property
    def name(self) -> str:
        return self.signal.info.name

    def rank(self, candidate: int) -> int:
        """The rank of a candidate, from 1; ties share a rank; 0 if not found."""
        by = self.raw if self.by is None else self.by
        if not self.raw[candidate] > self.signal.nothing:
            return 0
        return 1 + int((by > by[candidate]).sum())

    def part(self, candidate: int) -> Part:
        """The signal's part of the score of one candidate."""
        rank = self.rank(candidate)
        return Part(
            self.name,
            float(self.raw[candidate]) if rank else 0.0,
            float(self.normalised[candidate]),
            rank or None,
            self.weight,
            float(self.contribution[candidate]),
        )
