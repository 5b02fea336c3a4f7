"""What the stages of one search share: the corpus, the query as read, the candidates."""

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
    from ark_tui.index.protocols import CorpusIndex, Nearest, VectorIndex, WordIndex
    from ark_tui.index.words.terms import Terms
    from ark_tui.retrieval.expansion import Asking, Expander
    from ark_tui.store import Store
    from ark_tui.store.found import Found


Stage = Literal["first", "feedback", "structure", "late", "rerank"]
STAGES: tuple[Stage, ...] = get_args(Stage)
OTHERS = Field("owner")


def no_reranker(_: str) -> Reranker:
    """The re-ranker of a corpus that has none."""
    raise ModelUnavailable(
        "No re-ranker is here.", Hint.run("models add", "ms-marco-minilm", say="`{}` brings one.")
    )


@dataclass(frozen=True, slots=True)
class Served:
    """The model in force. `budget`: seconds that a search waits for the vector of its query."""

    name: str
    vectors: Callable[[], VectorIndex | None]
    queries: QueryVectors
    budget: float


@dataclass(frozen=True, slots=True)
class Opened:
    """The model in one search: the corpus as its vectors see it, and the query's vector, asked for."""

    served: Served
    index: VectorIndex
    asked: Asked[NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is searched."""

    store: Store
    words: WordIndex
    vectors: Callable[[], CorpusIndex | None]  # of the embedded model, as they stand; None before the first
    profiles: Mapping[str, Profile]
    clock: Clock
    decay: bool = True
    served: Callable[[], Served | None] = lambda: None  # the served model in force, if there is one
    messages: Callable[[], WordIndex | None] = lambda: None  # the word index of messages, caught up
    retention: Mapping[int, timedelta] = field(default_factory=dict)  # by layer, while it may answer
    expander: Callable[[], Expander | None] = lambda: None  # finds further terms; None: switched off
    expands_unasked: bool = True  # whether vague queries, too, are expanded: a chat model is named
    reranker: Callable[[str], Reranker] = no_reranker  # by its name; empty: the one that was added last
    firsts: Callable[[Sequence[int]], list[int]] | None = None  # of chunks that say the same; see `Repeats`
    others: dict[Viewer, tuple[int, array[int]]] = field(default_factory=dict)
    """What each does not see, as of a change."""

    def has_field(self, key: str) -> bool:
        """Whether any document has a key of its own, such as one of its front matter."""
        with self.store.read() as lease:
            return fields.known(lease, key)

    def listed(self, filters: Filters) -> Filters:
        """The filters with the documents of each field that they ask for."""
        if filters.where is None or not trees.asks_for(filters.where, Field):
            return filters
        with self.store.read() as lease:
            where = trees.resolved(
                filters.where, Field, lambda one: Listed(one, array("q", fields.documents(lease, one)))
            )
        return replace(filters, where=where)

    def seen(self, filters: Filters, *, messages: bool = False) -> Filters:
        """The filters without what belongs to others than whoever searches here."""
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
    """Milliseconds of each stage of a search."""

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
    """One search under way. `problems`: why a backend, or a single signal, cannot run, by its name."""

    request: Request
    query: Query
    terms: Terms
    filters: Filters
    profile: Profile
    corpus: Corpus
    stop: Stop
    index: CorpusIndex | None = None
    model: Opened | None = None  # the served model, where it is used
    times: tuple[QueryPeriod, ...] = ()  # that the query names
    corrected: Mapping[str, str] = field(default_factory=dict)  # words in no document, and what was added
    problems: dict[str, str] = field(default_factory=dict)
    probes: dict[object, Probe | None] = field(default_factory=dict)  # what cosine signals ask for
    rests: dict[str, str] = field(default_factory=dict)  # why a signal need not run, by its name
    remarks: dict[str, str] = field(default_factory=dict)  # what there is to say of one that runs
    leaders: tuple[int, ...] | None = None  # the chunks that lead the first pass, best first; see `feedback`
    so_far: NDArray[np.float64] | None = None  # each candidate's score by the stages before this one
    candidates: Candidates | None = None  # those that `so_far` runs over
    added: Expansion | None = None  # words that the leaders add
    asked: Asking | None = None  # the terms of a chat model, on their way; see `expansion`
    chat_only: bool = False  # whether `expanded` looks for those alone, not for the leaders' words, too
    feedback: Terms | None = None  # what expanded BM25 looks for: the leaders' words and the chat model's
    told: Expansion = field(default_factory=Expansion)  # the chat model's terms
    walk: list[tuple[NDArray[np.int64], NDArray[np.float64]]] | None = None  # along links; see `graph`
    near: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None  # in time; see `proximity`
    lamp: SignalStatus | None = None  # that of the chat model
    phrase: Proposal | None = None  # the texts that have the query word for word; see `verbatim`
    looked: dict[Stage, tuple[Candidates, NDArray[np.float64]]] = field(default_factory=dict)  # see `as_of`
    plugged: tuple[Signal, ...] = ()  # signals of plugins
    found: dict[int, Found] = field(default_factory=dict)  # what hits show, by chunk: the first stage's, too
    snippets: dict[int, Snippet] = field(default_factory=dict)  # likewise
    used: dict[int, int] = field(default_factory=dict)  # accesses of documents, by number

    @property
    def expansion(self) -> Expansion:
        """The terms that were added to the query, and where they came from."""
        return self.told.beside(self.added or Expansion())

    def as_of(self, stage: Stage) -> Search:
        """The search as the signals of a stage saw it: with the candidates and scores of those before."""
        if stage not in self.looked:
            return self
        candidates, so_far = self.looked[stage]
        return replace(self, candidates=candidates, so_far=so_far)


@dataclass(frozen=True, slots=True)
class Probe:
    """What a cosine signal asks: how close texts come to a vector."""

    index: VectorIndex
    vector: NDArray[np.float32]


@dataclass(slots=True)
class Candidates:
    """The chunks that are scored, with their documents; ascending by chunk number."""

    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chunks)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A signal's best chunks of the whole corpus.

    `raw`: the signal's values of these chunks, where it knows them already.
    """

    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]
    raw: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, found: Ranked | Nearest | None) -> Proposal:
        """What an index has found; None: nothing."""
        import numpy as np

        if found is None:
            return cls(np.empty(0, np.int64), np.empty(0, np.int64))
        chunks, documents = np.asarray(found.chunks, np.int64), np.asarray(found.documents, np.int64)
        if isinstance(found, Ranked):
            return cls(chunks, documents, np.array(found.scores, np.float64))
        return cls(chunks, documents)


@dataclass(slots=True)
class Scored:
    """Candidates with the columns of the signals that have run, and their sum."""

    candidates: Candidates
    columns: list[Column]
    score: NDArray[np.float64]

    def top(self, count: int) -> list[int]:
        """The best candidates, by place."""
        import numpy as np

        order: list[int] = np.argsort(-self.score, kind="stable")[:count].tolist()
        return order


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for a chunk to be ranked high.

    `propose` names the best of the corpus, if it can bring any; `values` gives the raw value of each
    candidate, which is found by the signal where that is above `nothing`. `normalise` maps raw values of
    the candidates to 0…1. Signals of the first two stages look at each candidate by itself; `reads`: so does
    this one, of a later stage, at so many of the best, and it takes its time; 0: it looks at all together.
    `reasons` says of each of some candidates, with what is shown of them, what in the texts earned its value,
    that of most weight first.
    """

    info: SignalInfo
    backend: (
        str  # what it needs: "words", "vectors", "model", "texts"; in the first pass they run side by side
    )
    propose: Callable[[Search, int], Proposal] | None
    values: Callable[[Search, Candidates], NDArray[np.float64]]
    normalise: Callable[[NDArray[np.float64]], NDArray[np.float64]] = lambda raw: raw
    nothing: float = 0.0
    stage: Stage = "first"
    applies: Callable[[Search], bool] = lambda _: True  # whether this query has any use for it
    order: int = 1000  # where it stands among the signals
    floor: Callable[[Search], float | None] = lambda _: None  # what texts have by chance; see `fusion`
    quiet: bool = False  # whether it has no lamp in a search that has no use for it
    reads: int = 0
    reasons: Callable[[Search, Candidates, Sequence[Found]], list[Reasons]] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One signal over all candidates. `by`: the list that they stand in, where it is not that of `raw`."""

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
        """Where one stands, from 1, which equals share; 0: not found by it."""
        by = self.raw if self.by is None else self.by
        if not self.raw[candidate] > self.signal.nothing:
            return 0
        return 1 + int((by > by[candidate]).sum())

    def part(self, candidate: int) -> Part:
        """What the signal gave one candidate."""
        rank = self.rank(candidate)
        return Part(
            self.name,
            float(self.raw[candidate]) if rank else 0.0,
            float(self.normalised[candidate]),
            rank or None,
            self.weight,
            float(self.contribution[candidate]),
        )
