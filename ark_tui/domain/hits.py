"""Search results, with the contribution of every signal to every score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from math import exp, prod
from typing import Annotated, ClassVar, Literal

from ark_tui.domain.documents import Chunk, Document
from ark_tui.domain.fields import As, Key, Named, Of
from ark_tui.domain.query import Query
from ark_tui.domain.reasons import Reason, Why

LampState = Literal["on", "off", "idle"]
Band = Literal["answer", "weak", "below"]
TermSource = Literal["feedback", "llm", "none"]

RULES: dict[Band, str] = {"weak": "low-confidence results", "below": "not relevant"}
"""The headings above hits that are not answers."""


@dataclass(frozen=True, slots=True)
class SignalInfo:
    """The name, letter, family and one-sentence description of a signal, for all interfaces."""

    name: str
    letter: str
    family: Literal["words", "meaning", "time", "structure", "model"]
    about: str


@dataclass(frozen=True, slots=True)
class Part:
    """The contribution of one signal to the score of one hit.

    `rank`: among the candidates, from 1; None if the signal did not find the hit. `reasons`: the text that
    caused it, highest weight first (on request). `note`: why it is 0 or equal for all hits.
    """

    name: str
    raw: float
    normalised: float
    rank: int | None
    weight: float
    contribution: float
    reasons: Annotated[tuple[Reason, ...], As.SPARSE] = ()
    note: Annotated[str, As.SPARSE] = ""


@dataclass(frozen=True, slots=True)
class Multiplier:
    """A factor on the sum of the contributions, such as decay."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class SignalStatus:
    """Whether a signal ran: `on`, `off` (unavailable, with the reason) or `idle` (not needed)."""

    signal: str
    state: LampState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Snippet:
    """The lines around the best match. `highlights` are character ranges of `text`."""

    also: ClassVar[tuple[str, ...]] = ("lines",)

    text: Annotated[str, Key("snippet")]
    start_line: Annotated[int, As.HIDDEN]
    end_line: Annotated[int, As.HIDDEN]
    highlights: tuple[tuple[int, int], ...] = ()

    @property
    def lines(self) -> Annotated[tuple[int, int], Key("snippet_lines")]:
        """The first and the last line number."""
        return self.start_line, self.end_line


@dataclass(frozen=True, slots=True)
class Around:
    """A match outside the chunk's text: its title, alias, heading or the preceding text.

    It contains query words that the text itself lacks; snippets do not show it.
    """

    where: Literal["title", "alias", "heading", "before"]
    text: str

    @property
    def said(self) -> str:
        """`by its heading: Graphs › Laplacian`."""
        what = "what stands before it" if self.where == "before" else f"its {self.where}"
        return f"by {what}: {' '.join(self.text.split())}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A feature of the relevance estimate, with its contribution in log-odds."""

    name: str
    value: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A document in the results, with its best chunk. `score` = Σ contribution × Π multiplier.

    `band`: an answer, a weak hit (listed with low confidence), or below the threshold (listed only on
    request). `odds`: the evidence that it is an answer, in log-odds; empty if unknown. `why`: why it is
    listed, in one sentence (on request).
    """

    also: ClassVar[tuple[str, ...]] = ("chance",)

    rank: int
    score: float
    document: Document
    chunk: Chunk
    snippet: Annotated[Snippet, As.FLAT]
    more: int  # other chunks of the document among the candidates
    parts: Annotated[tuple[Part, ...], Key("signals")]
    multipliers: tuple[Multiplier, ...] = ()
    around: Annotated[tuple[Around, ...], As.SPARSE] = ()
    duplicates: tuple[Document, ...] = ()  # near-duplicates
    band: Band = "answer"
    odds: Annotated[tuple[Evidence, ...], As.HIDDEN] = ()
    why: Annotated[Why | None, As.SPARSE] = None
    file: Annotated[str, As.HIDDEN] = ""  # the path of the document's file, if it has one
    number: Annotated[int, As.HIDDEN] = 0  # of its chunk

    @property
    def chance(self) -> Annotated[float | None, As.SPARSE]:
        """The probability that the hit is an answer: the logistic of the sum of `odds`; None: unknown."""
        if not self.odds:
            return None
        return 1 / (1 + exp(-sum(odd.contribution for odd in self.odds)))

    @property
    def percent(self) -> str:
        """The chance as text, such as `34 %`; empty if unknown."""
        return "" if self.chance is None else f"{self.chance:.0%}".replace("%", " %")

    @property
    def factor(self) -> Annotated[float, As.HIDDEN]:
        """The product of its multipliers."""
        return prod(m.value for m in self.multipliers)

    def summed(self) -> float:
        """The score, recomputed from the displayed parts."""
        return sum(part.contribution for part in self.parts) * self.factor


@dataclass(frozen=True, slots=True)
class Expansion:
    """Terms added to the query, and their source. `without`: terms removed on request.

    `source` is `llm` if a chat model suggested some of them; these are in `chat` and come first in `terms`.
    `unknown`: suggested terms that occur in no text; they are not in `terms`.
    """

    terms: tuple[str, ...] = ()
    source: TermSource = "none"
    without: tuple[str, ...] = ()
    chat: Annotated[tuple[str, ...], As.SPARSE] = ()
    unknown: Annotated[tuple[str, ...], As.SPARSE] = ()

    def __bool__(self) -> bool:
        """Whether there are added, removed or unknown terms."""
        return bool(self.terms or self.without or self.unknown)

    def beside(self, other: Expansion) -> Expansion:
        """Merge the terms of a chat model with those of another source; the model's terms come first."""
        without = tuple(dict.fromkeys((*self.without, *other.without)))
        if not (self.terms or self.without):
            return replace(other, without=without, unknown=self.unknown)
        terms = tuple(dict.fromkeys((*self.terms, *other.terms)))
        return Expansion(terms, self.source, without, self.terms, self.unknown)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A query word that no document contains, with spelling suggestions.

    `searched`: the first suggestion was searched for, too.
    """

    word: str
    instead: tuple[str, ...]
    searched: Annotated[bool, As.SPARSE] = False


@dataclass(frozen=True, slots=True)
class Understood:
    """Query words interpreted as a time range or as an exclusion.

    An open side of a time range has no day.
    """

    kind: Literal["time", "exclusion"]
    text: str
    first: Annotated[date | None, Key("from"), As.SPARSE] = None
    last: Annotated[date | None, Key("to"), As.SPARSE] = None
    excluded: Annotated[tuple[str, ...], As.SPARSE] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the corpus can answer the query, in log-odds. Below 0 is unlikely; `why` explains it."""

    log_odds: float
    evidence: tuple[Evidence, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of one search. `partial`: BM25 only; the full result follows.

    `abstained`: by `verdict`, no hit is an answer; weak hits are still listed. Hits below the threshold are
    in `below`, and in `hits` only on request; `below_floor` counts them. A search while typing has a verdict
    but does not abstain.
    """

    query: Annotated[Query, Of("raw")]
    retrieval_id: str
    profile: str
    hits: tuple[Hit, ...]
    lamps: tuple[SignalStatus, ...]
    took_ms: float = 0.0
    abstained: bool = False
    below_floor: int = 0
    truncated: bool = False  # more documents matched than are listed
    found: int = 0  # candidate documents
    dropped: int = 0  # hits of an index that the store has deleted
    expansion: Expansion = field(default_factory=Expansion)
    suggestions: tuple[Suggestion, ...] = ()
    understood: Annotated[tuple[Understood, ...], As.SPARSE] = ()
    stages: Annotated[tuple[tuple[str, float], ...], Named(("name", "ms"))] = ()
    partial: Annotated[bool, As.HIDDEN] = False
    verdict: Verdict | None = None  # None if not requested or unknown
    below: Annotated[tuple[Hit, ...], As.HIDDEN] = ()
    lowest: Annotated[int, As.HIDDEN] = 0  # documents in the lowest band, listed or not

    @property
    def largest(self) -> float:
        """The largest contribution of any hit, as the scale of all bars."""
        shown = (*self.hits, *self.below)
        return max((abs(part.contribution) for hit in shown for part in hit.parts), default=0.0)

    @property
    def off(self) -> tuple[str, ...]:
        """The unavailable signals, grouped by reason."""
        return away(self.lamps)

    @property
    def lists_below(self) -> bool:
        """Whether `hits` include those below the threshold, on request."""
        return self.below_floor > 0 and any(hit.band == "below" for hit in self.hits)

    def with_abstention(self) -> SearchResult:
        """The result with the verdict applied: hits of the lowest band move to `below`."""
        if self.verdict is None or not self.hits:
            return self
        listed = tuple(hit for hit in self.hits if hit.band != "below")
        abstained = not any(hit.band == "answer" for hit in listed)
        if not (abstained or self.lowest):
            return self
        below = self.hits[len(listed) :]
        return replace(self, abstained=abstained, below_floor=self.lowest, below=below, hits=listed)

    def with_below(self) -> SearchResult:
        """The result with the hits of `below` appended to `hits`."""
        return replace(self, hits=self.hits + self.below, below=())


def away(lamps: Iterable[SignalStatus]) -> tuple[str, ...]:
    """The unavailable signals, grouped by reason: `static, idf: the disk cannot be read`."""
    names: dict[str, list[str]] = {}
    for lamp in lamps:
        if lamp.state == "off":
            names.setdefault(lamp.reason.rstrip("."), []).append(lamp.signal)
    return tuple(f"{', '.join(signals)}: {reason}" for reason, signals in names.items())
