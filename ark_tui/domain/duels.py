"""Two hits side by side: what sets them apart, signal by signal, and what would make them trade places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ark_tui.domain.fields import As, Of
from ark_tui.domain.hits import Hit, Part
from ark_tui.domain.query import Query
from ark_tui.domain.reasons import quoted


@dataclass(frozen=True, slots=True)
class Compared:
    """What one signal gives the two; `difference`: in points of the score, above 0 for the first."""

    signal: str
    first: Part | None
    second: Part | None
    difference: float


@dataclass(frozen=True, slots=True)
class Trade:
    """A weight with which the two trade places, all else as it is.

    `weight`: as it is in this search; `even`: with which the scores would be equal; `change`: from the one to
    the other; `adjust`: what to set, just past that. `anew`: whether they trade places in a search with that,
    in which weights also decide which texts lead; None: not tried.
    """

    also: ClassVar[tuple[str, ...]] = ("change",)

    signal: str
    weight: float
    even: float
    adjust: Annotated[str, As.SPARSE] = ""
    anew: bool | None = None

    @property
    def change(self) -> float:
        """By how much the weight would have to change."""
        return self.even - self.weight


@dataclass(frozen=True, slots=True)
class Lacking:
    """A word of the query that one of the two has and the other has not.

    `document`: the id of the one without it; in `passages` of the corpus, `of` how many, it is.
    """

    word: str
    document: str
    passages: int
    of: int


@dataclass(frozen=True, slots=True)
class Duel:
    """Two hits of a search side by side, the one that stands higher first.

    `sentence`: why it does. `multiplied`: what multipliers do to the difference. `trades`: by single weights,
    the smallest change first; `lacking`: the words that one of the two lacks, the rarest first.
    """

    query: Annotated[Query, Of("raw")]
    profile: str
    first: Hit
    second: Hit
    sentence: str
    signals: tuple[Compared, ...]
    multiplied: float
    trades: tuple[Trade, ...]
    lacking: tuple[Lacking, ...]
    off: Annotated[tuple[str, ...], As.SPARSE] = ()  # signals that could not run, by their reasons

    also: ClassVar[tuple[str, ...]] = ("says",)

    @property
    def says(self) -> tuple[str, ...]:
        """What would make the two trade places, in sentences."""
        return (*self._by_weight(), *(self._by_word(one) for one in self.lacking))

    def _by_weight(self) -> Iterator[str]:
        above = (
            f"{quoted(self.second.document.called)} would stand above {quoted(self.first.document.called)}"
        )
        if not self.trades:
            yield "No change of a single weight makes the two trade places."
            return
        best = self.trades[0]
        change = f"{best.signal} at {best.even:.4g} or {'more' if best.change > 0 else 'less'}"
        tried = (
            "" if best.anew is None else "" if best.anew else "; a search with it keeps their order, though"
        )
        yield f"{above} with {change}, where it is {best.weight:.4g} ({best.adjust}){tried}."

    def _by_word(self, one: Lacking) -> str:
        document = next(hit.document for hit in (self.first, self.second) if hit.document.id == one.document)
        return f"{quoted(document.called)} lacks “{one.word}” (in {one.passages:,} of {one.of:,} passages)."
