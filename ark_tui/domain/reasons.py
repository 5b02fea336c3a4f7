"""Explanations of a hit's rank: the text that caused each part of its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from ark_tui.domain.display import visible_line
from ark_tui.domain.fields import As

ReasonKind = Literal["word", "pair", "time", "passage"]
Where = Literal["text", "title", "alias", "heading", "before", "name", "date", "previous", "next", "link"]

LEAST = 1e-4  # of a score; smaller differences are rounding errors
MOST = 5  # reasons shown per part
RARE = 0.05  # share of passages, up to which a word is called rare
PLACES: dict[Where, str] = {
    "text": "the text", "title": "the title", "alias": "an alias", "heading": "its heading",
    "before": "the text before it", "name": "a name in it", "date": "its date",
    "previous": "the passage before it", "next": "the passage after it", "link": "a linked document",
}  # fmt: skip
NEIGHBOURS = ("previous", "next")


@dataclass(frozen=True, slots=True)
class Source:
    """A source passage; `start_line` and `end_line` count from 1, inclusive."""

    document: str  # its id
    title: str
    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Reason:
    """The text that caused a part of a score.

    `kind`: a `word`; a `pair` of a query word and a similar word of the text; a `time`; a `passage` that
    passes its score on. `asked`: the word or time of the query; of a passage, the rarest query word in it.
    `found`: its form in the text. `value`: what the raw value of the part would lose without it. `spans`:
    character ranges of the chunk. `passages`: how many of the corpus's `of` passages contain the word (0: not
    counted). `closeness`: the cosine of a pair. `by`: the source of a word that is not in the query, such as
    `of the best texts`.
    """

    also: ClassVar[tuple[str, ...]] = ("says",)

    kind: ReasonKind
    asked: str
    found: str
    where: Where
    value: float
    spans: Annotated[tuple[tuple[int, int], ...], As.SPARSE] = ()
    passages: int = 0
    of: int = 0
    closeness: Annotated[float | None, As.SPARSE] = None
    by: Annotated[str, As.SPARSE] = ""
    source: Annotated[Source | None, As.SPARSE] = None

    @property
    def rarity(self) -> str:
        """` (rare: in 4 of 120 passages)`, with the source of the word; empty if neither is known."""
        said = f"in {self.passages:,} of {self.of:,} passages" if self.of else ""
        rare = "rare: " if self.passages <= RARE * self.of else ""
        known = ", ".join(filter(None, (self.by, said and f"{rare}{said}")))
        return f" ({known})" if known else ""

    @property
    def says(self) -> str:
        """The reason in a few words: `“gap” in the title (rare: in 4 of 120 passages)`."""
        if self.kind == "pair":
            close = f" is close to {quoted(self.asked)} ({self.closeness or 0:.2f})"
            return f"{quoted(self.found)}{'' if self._itself else close}"
        if self.kind == "time":
            return f"{quoted(self.asked)}: {self.told}"
        if self.kind == "passage":
            return self.told
        return f"{quoted(self.asked)} in {PLACES[self.where]}{self.rarity}"

    @property
    def told(self) -> str:
        """The reason as a clause: `the title contains “gap” (rare: in 4 of 120 passages)`."""
        match self.kind:
            case "word":
                return f"{PLACES[self.where]} contains {quoted(self.asked)}{self.rarity}"
            case "pair":
                close = f", which is close to {quoted(self.asked)}"
                return f"it contains {quoted(self.found)}{'' if self._itself else close}"
            case "time":
                verb = "is from" if self.where == "date" else "mentions"
                return f"it {verb} {self.found if self.where == 'date' else quoted(self.found)}"
            case "passage":
                return self._from_elsewhere()

    @property
    def _itself(self) -> bool:
        """Whether the word of the text equals that of the query."""
        return self.found.casefold() == self.asked.casefold()

    def _from_elsewhere(self) -> str:
        assert self.source is not None
        if self.where in NEIGHBOURS:
            about = f"contains {quoted(self.asked)}" if self.asked else "ranks high"
            return f"{PLACES[self.where]} {about}"
        about = f", which contains {quoted(self.asked)}" if self.asked else ""
        return f"it is linked to {quoted(self.source.title)}{about}"


Reasons: TypeAlias = tuple[Reason, ...]


def phrases(reasons: Sequence[Reason], most: int) -> tuple[str, ...]:
    """The first `most` reasons as short phrases, and how many more; the places of a word are merged."""
    found: dict[tuple[str, str], list[Reason]] = {}
    for reason in reasons:
        name = (reason.asked if reason.kind == "word" else reason.says).casefold()
        found.setdefault((reason.kind, name), []).append(reason)
    more = (f"{len(found) - most} more",) if len(found) > most else ()
    return (*(_phrase(some) for some in list(found.values())[:most]), *more)


def _phrase(reasons: Sequence[Reason]) -> str:
    """One phrase for all reasons of a word: `“gap” in the title, the text (in 4 of 120 passages)`."""
    first = reasons[0]
    if first.kind != "word":
        return first.says
    rarity = next((one.rarity for one in reasons if one.rarity), "")
    places = ", ".join(dict.fromkeys(PLACES[one.where] for one in reasons))
    return f"{quoted(first.asked)} in {places}{rarity}"


@dataclass(frozen=True, slots=True)
class Why:
    """Why a hit is listed, in one sentence."""

    sentence: str


def quoted(text: str) -> str:
    """Quote a word or title, on one line and without control characters."""
    return f"“{visible_line(text)}”"
