"""Why a search does not list a document (S20): what lost it, its ranks, and what would bring it up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.layers import HISTORY, WORKING
from ark_tui.domain.protocols import Stop, check
from ark_tui.domain.whynot import MissingWord, Remedy, SignalRank, Stage, WhyNot, Without
from ark_tui.engine import barriers, lost
from ark_tui.index.filters import condition
from ark_tui.index.words import terms
from ark_tui.retrieval import bands, naming, pipeline, retention, standing
from ark_tui.retrieval.standing import Standing
from ark_tui.settings import ranking
from ark_tui.store import documents

if TYPE_CHECKING:
    from ark_tui.domain.query import Request
    from ark_tui.engine.barriers import Barrier
    from ark_tui.engine.lost import Held, Lost
    from ark_tui.engine.services import Services
    from ark_tui.retrieval.state import Corpus

OUTRANKED: tuple[Stage, ...] = ("candidates", "rank", "floor", "nothing")
"""Stages at which others were better."""

WORDS = 4  # rare words of the document that are tried in the query
WEIGHTS = 3  # changes of one weight that are tried
LONGEST = 1000  # hits that a search lists at most
DEEPEST = 10_000  # candidates of a signal that a profile takes at most


def why_not(parts: Services, request: Request, ref: str, stop: Stop, *, person: bool) -> WhyNot:
    """Why a search, complete as the engine runs it, does not list what a reference names.

    `person`: is told of files outside the followed folders, too. Raises `Ambiguous` for a name that fits
    several documents, what a search raises for its query, and `Cancelled`.
    """
    if not request.query.strip():
        raise UsageError("There is nothing to search for.", "Give some words, as in: spectral gap")
    found = lost.find(parts, ref, person=person)
    request = replace(request, typing=False, unlogged=True)
    if isinstance(found, lost.Lost):
        return _of_lost(request, ref, found)
    return _Inquiry(parts, request, ref, found, stop).answer()


def _of_lost(request: Request, ref: str, found: Lost) -> WhyNot:
    return WhyNot(
        request.query, ref, found.document, found.stage, found.sentence, request.limit,
        remedies=found.remedies, near=found.near,
    )  # fmt: skip


@dataclass
class _Inquiry:
    """One question about a document that the home has."""

    parts: Services
    request: Request
    ref: str
    held: Held
    stop: Stop

    def answer(self) -> WhyNot:
        """The first stage that lost it, and all that there is to say of it."""
        stage, sentence = self._stage()
        sentence += " Its file has been saved since it was read." if self.held.saved else ""
        remedies = [*self._first_remedies(stage), *self._tried(stage), *self._for_good(stage)]
        return WhyNot(
            self.request.query, self.ref, self.held.document, stage, sentence, self.request.limit,
            rank=self.now.rank,
            of=len(self.bare.order.best),
            score=self.now.score,
            signals=self.signals,
            without=(*self.lifted, *self._without_parts()),
            missing=self.missing,
            remedies=tuple(remedies),
            instead=self._instead(stage),
            off=self.now.ranking.answer().off,
        )  # fmt: skip

    # -- the search as it is -----------------------------------------------------------------------

    @property
    def corpus(self) -> Corpus:
        return self.parts.corpus

    @cached_property
    def now(self) -> Standing:
        """Where the document stands in the search as it is asked."""
        return self._asked(self.request, self.corpus)

    @cached_property
    def bare(self) -> Standing:
        """The same without what keeps it away."""
        return (
            self._asked(*barriers.lifted(self.barriers, self.request, self.corpus))
            if self.barriers
            else self.now
        )

    @cached_property
    def barriers(self) -> list[Barrier]:
        """What keeps it away, in order."""
        return list(barriers.found(self.parts, self.now.ranking.search, self.held))

    @cached_property
    def missing(self) -> tuple[MissingWord, ...]:
        """Words of the query that it has not."""
        return tuple(standing.missing(self.bare, self.held.chunks))

    @cached_property
    def signals(self) -> tuple[SignalRank, ...]:
        """Where each signal has it."""
        return tuple(standing.signals(self.bare, self.held.chunks))

    def _asked(self, request: Request, corpus: Corpus | None = None) -> Standing:
        check(self.stop)
        found = pipeline.ranking(corpus or self.corpus, request, self.stop)
        return standing.standing(found, self.held.number)

    # -- the stage -----------------------------------------------------------------------------------

    def _stage(self) -> tuple[Stage, str]:
        """The first stage that lost it, with the reason in a sentence."""
        search = self.now.ranking.search
        if self.held.document.layer == WORKING and not retention.only(condition(search.filters)):
            return "messages", "It is a message, and messages are searched by themselves."
        if "words" in self.held.behind and self.now.place is None:
            return "waiting", "The home has it, but the word index has not taken it up yet."
        if self.barriers:
            return self.barriers[0].stage, " ".join(one.sentence for one in self.barriers)
        if self.now.place is None:
            return self._no_candidate()
        return self._placed()

    def _no_candidate(self) -> tuple[Stage, str]:
        if "vectors" in self.held.behind:
            return "waiting", "It has none of the words, and its vectors are still to be made."
        ranks = [one for one in self.signals if one.rank is not None]
        depth = self.now.ranking.search.profile.depth
        best = min(ranks, key=lambda one: one.rank or 0, default=None)
        if best is None:
            return "candidates", f"No signal finds it{self._lacks()}."
        return "candidates", (
            f"No signal has it among its best {depth}: the nearest is {best.name}, where it is number "
            f"{best.rank:,}{self._lacks()}."
        )

    def _lacks(self) -> str:
        return f"; it has none of {_listed(one.word for one in self.missing)}" if self.missing else ""

    def _placed(self) -> tuple[Stage, str]:
        """Why a document that was ranked is not listed, or that it is."""
        now, place = self.now, self.now.place
        number = int(now.ranking.scored.candidates.chunks[place or 0])
        if now.lead != place:
            first = self._document(now.lead)
            where = f"number {now.order.best.index(now.lead or 0) + 1}"
            found: tuple[Stage, str] = (
                "duplicate", f"{first.short_id} {first.title} says the same and is ranked for it, as {where}."
            )  # fmt: skip
        elif now.listed and self.held.chunk not in {None, number}:
            found = "chunk", f"Its document is listed as number {now.rank}, by a passage that does better."
        elif now.listed:
            found = "listed", f"It is listed, as number {now.rank} of {len(now.order.best)}."
        else:
            found = ("rank", self._behind()) if self._full else self._below()
        return found

    @property
    def _full(self) -> bool:
        """Whether the list has as many documents as it may, so that it ends for that and not at the floor."""
        listed = self.now.order.best[: self.request.limit]
        return len(listed) == self.request.limit and (
            self.request.below or self.now.band[listed[-1]] != "below"
        )

    def _behind(self) -> str:
        """How far down it is, and by which signals the last of the list is ahead."""
        now, place = self.now, self.now.place or 0
        last = now.order.best[self.request.limit - 1]
        columns = now.ranking.scored.columns
        gaps = ((one.contribution[last] - one.contribution[place], one.name) for one in columns)
        ahead = [name for gap, name in sorted(gaps, reverse=True)[:2] if gap > 0]
        by = _listed(ahead) or "its age or what the query excludes"
        return (
            f"It is number {now.rank:,} of {len(now.order.best):,}, and the list ends after "
            f"{self.request.limit}. The last that is listed, {self._document(last).title}, is ahead of it by "
            f"{by}{self._lacks()}."
        )

    def _below(self) -> tuple[Stage, str]:
        verdict = self.now.ranking.verdict
        if verdict is not None and verdict.standing < bands.NOTHING:
            return "nothing", f"{verdict.why} Below the floor it is number {self.now.rank:,}."
        best = float(self.now.order.score[self.now.order.best[0]])
        share = (self.now.score or 0.0) / best if best > 0 else 0.0
        return "floor", (
            f"As number {self.now.rank:,} it has {share:.0%} of the best score, and the list ends at "
            f"{bands.END:.0%}{self._lacks()}."
        )

    def _document(self, place: int | None) -> Document:
        """The document that a candidate is of."""
        number = int(self.now.ranking.scored.candidates.documents[place or 0])
        with self.parts.store.read() as lease:
            return documents.documents(lease, [number])[number]

    def _instead(self, stage: Stage) -> Document | None:
        if stage == "duplicate":
            return self._document(self.now.lead)
        return next((one.instead for one in self.barriers if one.instead), None)

    # -- with one stage left out ---------------------------------------------------------------------

    @cached_property
    def lifted(self) -> tuple[Without, ...]:
        """The rank without each barrier, and without all of them."""
        sets = {one.what: [one] for one in self.barriers}
        sets |= {"all of these": self.barriers} if len(self.barriers) > 1 else {}
        return tuple(
            self._left_out(what, *barriers.lifted(some, self.request, self.corpus))
            for what, some in sets.items()
        )

    def _without_parts(self) -> Iterator[Without]:
        """The rank without each part of how the search ranks it."""
        if self.now.place is None:
            return
        if self.now.below and not self.request.below:
            yield self._left_out("the floor", replace(self.request, below=True))
        for said, _ in self.now.ranking.search.query.exclusions:
            literally = (*self.request.literally, said)
            yield self._left_out(
                f"reading “{said}” as an exclusion", replace(self.request, literally=literally)
            )
        for name in ("decay", "access"):
            if name in self.now.order.factors:
                yield self._left_out(name, self._with(f"{name}=off"))
        for column in self.now.ranking.scored.columns:
            yield self._left_out(f"the signal {column.name}", self._with(f"weight.{column.name}=0"))

    def _left_out(self, what: str, request: Request, corpus: Corpus | None = None) -> Without:
        found = self._asked(request, corpus)
        return Without(what, found.rank, found.listed)

    def _with(self, *changes: str) -> Request:
        """The search with changes of its profile."""
        return replace(self.request, adjust=(*self.request.adjust, *changes))

    # -- what would bring it up ----------------------------------------------------------------------

    def _first_remedies(self, stage: Stage) -> Iterator[Remedy]:
        """What undoes the very thing that lost it."""
        if self.held.saved:
            yield Remedy("index", Hint.run("index", self.held.saved, say="Read it as it is now: {}."))
        for one, without in zip(self.barriers, self.lifted, strict=False):
            yield replace(one.remedy, rank=without.rank)
        query = self.request.query
        if stage == "messages":
            line = f"{query} in:{HISTORY}"
            yield Remedy("query", Hint.run("search", line, say="Search messages: {}."), query=line)
        elif stage == "waiting":
            yield Remedy("index", Hint.run("index", say="Let the indexes catch up: {}."))
        elif stage in {"floor", "nothing", "rank"}:
            yield from self._longer()
        elif stage in {"duplicate", "chunk"}:
            first = self._document(self.now.lead).short_id
            yield Remedy("read", Hint.run("show", first, say="Read what is listed: {}."))

    def _longer(self) -> Iterator[Remedy]:
        """List more: beyond the limit, below the floor."""
        rank, limit = self.now.rank or 0, self.request.limit
        options: dict[str, str | bool] = {"limit": str(rank)} if rank > limit else {}
        options |= {"below": True} if self.now.below else {}
        if rank <= LONGEST:
            say = "List what lies below the floor, too: {}." if self.now.below else "List more: {}."
            yield Remedy("option", Hint.run("search", self.request.query, say=say, **options), rank=rank)

    def _tried(self, stage: Stage) -> Iterator[Remedy]:
        """Changes of the search that were tried and list it: a word, a weight, more candidates."""
        if stage not in OUTRANKED:
            return
        yield from self._by_word()
        if stage == "candidates":
            yield from self._by_depth()
        elif stage != "nothing":
            yield from self._by_weight()

    def _for_good(self, stage: Stage) -> Iterator[Remedy]:
        """What mends it for later searches, too: its text, and a judgment."""
        if stage not in OUTRANKED:
            return
        if self.missing:
            words = _listed(one.word for one in self.missing)
            yield Remedy(
                "text", f"Write {words} into it: into its text, or under aliases in its front matter."
            )
        query, document = self.request.query, self.held.document
        judge = Hint.run("judge", query, document.short_id, "++", say="Say that it is the answer: {}.")
        yield Remedy("judge", judge)

    def _by_word(self) -> Iterator[Remedy]:
        """The first of its rare words with which the query lists it."""
        for word in self._rare_words():
            line = f"{self.request.query} {word}"
            found = self._asked(replace(self.request, query=line))
            if found.listed:
                more = Hint.run("search", line, say=f"Add a word of it, {word}: {{}}.")
                yield Remedy("word", more, query=line, rank=found.rank)
                return

    def _rare_words(self) -> list[str]:
        """Words of the document that are frequent in it and rare elsewhere, which the query has not."""
        if self.request.literal or "words" in self.now.ranking.search.problems:
            return []
        with self.parts.store.read() as lease:
            text = documents.body(lease, self.held.number)
        said = set(self.now.ranking.search.terms.stems)
        forms: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for word in terms.words(f"{self.held.document.title}\n{text}"):
            if word.isalpha() and len(word) > 2 and word not in terms.STOP_WORDS:
                counts[terms.stem(word)] += 1
                forms.setdefault(terms.stem(word), word)
        words = self.now.ranking.search.corpus.words
        worth = {
            stem: (1 + log(count)) * words.idf(stem, forms[stem])
            for stem, count in counts.items()
            if stem not in said
        }
        return [forms[stem] for stem in sorted(worth, key=lambda one: (-worth[one], one))[:WORDS]]

    def _by_weight(self) -> Iterator[Remedy]:
        """The smallest change of one weight that lists it."""
        search, adjust = self.now.ranking.search, self.request.adjust
        own = ranking.changed(self.corpus.profiles[self.request.profile], adjust)
        profile = ranking.changed(naming.weighed(own, search.query.text), adjust)
        for name, weight in list(standing.weights(self.now))[:WEIGHTS]:
            before = profile.weights.get(name, 0.0)
            if not before:
                continue
            asked = float(f"{weight * before / search.profile.weights[name]:.4g}")  # times may raise it, too
            change = f"weight.{name}={asked:g}"
            found = self._asked(self._with(change))
            if found.listed:
                what = f"Let {name} weigh {asked:g} in place of {before:g}."
                yield Remedy("weight", what, change=change, rank=found.rank)
                return

    def _by_depth(self) -> Iterator[Remedy]:
        """So many candidates of each signal that it is one of them."""
        ranks = [one.rank for one in self.signals if one.rank is not None]
        if not ranks or min(ranks) > DEEPEST:
            return
        change = f"depth={min(ranks)}"
        found = self._asked(self._with(change))
        if found.rank is not None:
            where = "" if found.listed else f", as number {found.rank:,}"
            what = f"Look at the best {min(ranks):,} of each signal{where}."
            yield Remedy("option", what, change=change, rank=found.rank)


def _listed(names: Iterator[str] | Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = list(names) or [""]
    return f"{', '.join(first)} and {last}" if first else last
