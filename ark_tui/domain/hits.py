"""Search results, with every part of every score."""

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
"""The headings of hits that are no answers."""


@dataclass(frozen=True, slots=True)
class SignalInfo:
    """A signal's one name, one letter, one family and one sentence, used on every face."""

    name: str
    letter: str
    family: Literal["words", "meaning", "time", "structure", "model"]
    about: str


@dataclass(frozen=True, slots=True)
class Part:
    """What one signal gave one hit. `rank` counts from 1 among the candidates; None: not found by it.

    `reasons`, where they were asked for: what in the texts earned it, that of most weight first. `note`:
    why it tells no hit from another, or is 0.
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
    """Whether a signal ran: `on`; `off` because it cannot, with the reason; `idle` because it need not."""

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
        """The first and the last of its lines."""
        return self.start_line, self.end_line


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a text and has words of the query that it has not itself. No snippet shows it."""

    where: Literal["title", "alias", "heading", "before"]
    text: str

    @property
    def said(self) -> str:
        """`by its heading: Graphs › Laplacian`."""
        what = "what stands before it" if self.where == "before" else f"its {self.where}"
        return f"by {what}: {' '.join(self.text.split())}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quantity that speaks for or against an answer, and what it counts for."""

    name: str
    value: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A document in the results, with its best chunk. `score` = Σ contribution × Π multiplier.

    `band`: an answer, a weak hit (listed, but doubted), or below the floor (listed on request only).
    `odds`: what speaks for its being an answer, in log-odds; empty where that cannot be said.
    `why`: why it is listed, in a sentence, where reasons were asked for.
    """

    also: ClassVar[tuple[str, ...]] = ("chance",)

    rank: int
    score: float
    document: Document
    chunk: Chunk
    snippet: Annotated[Snippet, As.FLAT]
    more: int  # further chunks of the document among the candidates
    parts: Annotated[tuple[Part, ...], Key("signals")]
    multipliers: tuple[Multiplier, ...] = ()
    around: Annotated[tuple[Around, ...], As.SPARSE] = ()
    duplicates: tuple[Document, ...] = ()  # documents that say the same in almost the same words
    band: Band = "answer"
    odds: Annotated[tuple[Evidence, ...], As.HIDDEN] = ()
    why: Annotated[Why | None, As.SPARSE] = None
    file: Annotated[str, As.HIDDEN] = ""  # where the document lies as a file, if it does
    number: Annotated[int, As.HIDDEN] = 0  # of its chunk

    @property
    def chance(self) -> Annotated[float | None, As.SPARSE]:
        """How likely the hit is an answer, 0…1: the logistic of the sum of its odds; None: not known."""
        if not self.odds:
            return None
        return 1 / (1 + exp(-sum(odd.contribution for odd in self.odds)))

    @property
    def percent(self) -> str:
        """The chance in words, such as `34 %`; empty where it is not known."""
        return "" if self.chance is None else f"{self.chance:.0%}".replace("%", " %")

    @property
    def factor(self) -> Annotated[float, As.HIDDEN]:
        """The product of its multipliers."""
        return prod(m.value for m in self.multipliers)

    def summed(self) -> float:
        """The score as the displayed parts give it."""
        return sum(part.contribution for part in self.parts) * self.factor


@dataclass(frozen=True, slots=True)
class Expansion:
    """Terms added to the query, and where they are from; `without`: those left out, as requested.

    `source` is `llm` where a chat model gave some of them: `chat`, which stand first. `unknown` are those
    that it gave and no text here holds: they count for nothing and are not among `terms`.
    """

    terms: tuple[str, ...] = ()
    source: TermSource = "none"
    without: tuple[str, ...] = ()
    chat: Annotated[tuple[str, ...], As.SPARSE] = ()
    unknown: Annotated[tuple[str, ...], As.SPARSE] = ()

    def __bool__(self) -> bool:
        """Whether there was anything to add."""
        return bool(self.terms or self.without or self.unknown)

    def beside(self, other: Expansion) -> Expansion:
        """These terms, a chat model's, and after them those of another source."""
        without = tuple(dict.fromkeys((*self.without, *other.without)))
        if not (self.terms or self.without):
            return replace(other, without=without, unknown=self.unknown)
        terms = tuple(dict.fromkeys((*self.terms, *other.terms)))
        return Expansion(terms, self.source, without, self.terms, self.unknown)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that is in no document, and what may have been meant.

    `searched`: the first of these was searched for, too.
    """

    word: str
    instead: tuple[str, ...]
    searched: Annotated[bool, As.SPARSE] = False


@dataclass(frozen=True, slots=True)
class Understood:
    """Words of the query that were read as a time, from a day to a day, or as what is not meant.

    A time that is open on a side has no day there.
    """

    kind: Literal["time", "exclusion"]
    text: str
    first: Annotated[date | None, Key("from"), As.SPARSE] = None
    last: Annotated[date | None, Key("to"), As.SPARSE] = None
    excluded: Annotated[tuple[str, ...], As.SPARSE] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the corpus has anything on the query, in log-odds: below 0 it is doubted, and `why` says so."""

    standing: float
    evidence: tuple[Evidence, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search. `partial`: BM25 only, the rest is on its way.

    `abstained`: no hit is an answer, as `verdict` says; weak hits are listed all the same. What lies below
    the floor is in `below`, and in `hits` only where the request asked for it; `below_floor` counts it.
    While somebody is typing there is a verdict and no abstaining yet.
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
    found: int = 0  # documents among the candidates
    dropped: int = 0  # hits that an index still had and the store no longer
    expansion: Expansion = field(default_factory=Expansion)
    suggestions: tuple[Suggestion, ...] = ()
    understood: Annotated[tuple[Understood, ...], As.SPARSE] = ()
    stages: Annotated[tuple[tuple[str, float], ...], Named(("name", "ms"))] = ()
    partial: Annotated[bool, As.HIDDEN] = False
    verdict: Verdict | None = None  # None where it was not asked for or could not be said
    below: Annotated[tuple[Hit, ...], As.HIDDEN] = ()
    lowest: Annotated[int, As.HIDDEN] = 0  # documents in the lowest band, listed or not

    @property
    def largest(self) -> float:
        """The largest share of any hit: the one scale of all bars."""
        shown = (*self.hits, *self.below)
        return max((abs(part.contribution) for hit in shown for part in hit.parts), default=0.0)

    @property
    def off(self) -> tuple[str, ...]:
        """The signals that could not run, by their reasons."""
        return away(self.lamps)

    @property
    def lists_below(self) -> bool:
        """Whether what lies below the floor is among the hits, since it was asked for."""
        return self.below_floor > 0 and any(hit.band == "below" for hit in self.hits)

    def with_abstention(self) -> SearchResult:
        """The same with the verdict carried out: the lowest band is put aside."""
        if self.verdict is None or not self.hits:
            return self
        listed = tuple(hit for hit in self.hits if hit.band != "below")
        abstained = not any(hit.band == "answer" for hit in listed)
        if not (abstained or self.lowest):
            return self
        below = self.hits[len(listed) :]
        return replace(self, abstained=abstained, below_floor=self.lowest, below=below, hits=listed)

    def with_below(self) -> SearchResult:
        """The same with what lies below the floor among the hits."""
        return replace(self, hits=self.hits + self.below, below=())


def away(lamps: Iterable[SignalStatus]) -> tuple[str, ...]:
    """The signals that could not run, by their reasons: `static, idf: the disk cannot be read`."""
    names: dict[str, list[str]] = {}
    for lamp in lamps:
        if lamp.state == "off":
            names.setdefault(lamp.reason.rstrip("."), []).append(lamp.signal)
    return tuple(f"{', '.join(signals)}: {reason}" for reason, signals in names.items())
