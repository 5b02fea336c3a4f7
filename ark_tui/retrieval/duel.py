"""Two documents of one search against each other, and what would make them trade places.

A score is M·Σ wᵢ·vᵢ: M the product of the multipliers, vᵢ what signal i gives for each unit of its weight wᵢ,
whatever the kind of fusion. With all else as it is, weight j makes the scores of a and b equal at

    w = (Mᵇ·Rᵇ − Mᵃ·Rᵃ) / (Mᵃ·vᵃ − Mᵇ·vᵇ),    R the sum of the other parts
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import TYPE_CHECKING

from ark_tui.domain.duels import Compared, Duel, Lacking, Trade
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.index.protocols import Coverage
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import evidence, naming, pipeline, run
from ark_tui.settings import ranking

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.domain.hits import Hit, SearchResult
    from ark_tui.domain.query import Request
    from ark_tui.retrieval.state import Corpus, Search

ALL = 100_000  # hits: every document among the candidates
TRIED = 3  # weights that a search is run anew with
LARGEST = 100.0  # weight that can be set
STEP = 0.001  # in which weights are set
EVEN = 1e-12  # a difference that is none


def fought(corpus: Corpus, request: Request, one: Document, other: Document, stop: Stop = NEVER) -> Duel:
    """The duel of two documents. Raises `UsageError` for one with itself, `NotFound` for no candidate."""
    if one.id == other.id:
        raise UsageError("Both are the same document.", "Name two documents.")
    asked = replace(request, limit=ALL, below=True, explain=False, typing=False, unlogged=True)
    made = pipeline.ranking(corpus, asked, stop)
    result = made.answer()
    pair = sorted((_hit(result, one), _hit(result, other)), key=lambda hit: hit.rank)
    told = evidence.explained(made.search, made.scored, replace(result, hits=tuple(pair), below=()))
    first, second = told.hits
    return Duel(
        result.query, result.profile, first, second,
        first.why.sentence if first.why else "",
        tuple(_compared(first, second)),
        (first.factor - second.factor) * sum(part.contribution for part in second.parts),
        _trades(corpus, asked, made.search.query.text, pair, stop),
        tuple(_lacking(made.search, first, second)),
        result.off,
    )  # fmt: skip


def _hit(result: SearchResult, wanted: Document) -> Hit:
    for hit in (*result.hits, *result.below):
        if hit.document.id == wanted.id:
            return hit
    raise NotFound(
        f"{wanted.called} is not among the candidates of this search.",
        Hint.run("why-not", result.query.raw, doc=wanted.short_id, say="See what lost it: {}"),
    )


def _compared(first: Hit, second: Hit) -> Iterator[Compared]:
    """Signal by signal; with what multipliers do, the differences add up to that of the scores."""
    theirs = {part.name: part for part in second.parts}
    for part in first.parts:
        other = theirs.get(part.name)
        less = part.contribution - (other.contribution if other else 0.0)
        yield Compared(part.name, part, other, first.factor * less)


def _trades(
    corpus: Corpus, request: Request, text: str, pair: Sequence[Hit], stop: Stop
) -> tuple[Trade, ...]:
    """The single weights with which the two trade places; the smallest are tried in a search of their own."""
    profile = naming.weighed(corpus.profiles[request.profile], text)
    profile = ranking.changed(profile, request.adjust)
    found = [_set(trade, profile.weights.get(trade.signal) or trade.weight, pair) for trade in trades(*pair)]
    found = sorted((trade for trade in found if trade.adjust), key=lambda trade: abs(trade.change))
    tried = [replace(trade, anew=_turned(corpus, request, trade, pair, stop)) for trade in found[:TRIED]]
    return (*sorted(tried, key=lambda trade: not trade.anew), *found[TRIED:])


def trades(first: Hit, second: Hit) -> Iterator[Trade]:
    """For each signal, the weight at which the two would be level, if there is one from 0 on."""
    for part in first.parts:
        mine, theirs = _unit(first, part.name), _unit(second, part.name)
        slope = first.factor * mine - second.factor * theirs
        if part.weight <= 0 or abs(slope) < EVEN:
            continue
        rest = second.factor * _rest(second, part.name) - first.factor * _rest(first, part.name)
        if rest / slope >= 0:
            yield Trade(part.name, part.weight, rest / slope)


def score(hit: Hit, signal: str, weight: float) -> float:
    """The score that a hit would have if a signal had another weight."""
    return hit.factor * (_rest(hit, signal) + weight * _unit(hit, signal))


def _set(trade: Trade, named: float, pair: Sequence[Hit]) -> Trade:
    """A trade with what is to be set, checked by adding up anew; nothing to set where none will do.

    `named`: the weight as the profile has it, which a search may multiply, as it does that of times.
    """
    scale = named / trade.weight
    steps = trade.even * scale / STEP
    value = (floor(steps) + 1 if trade.change > 0 else ceil(steps) - 1) * STEP
    first, second = (score(hit, trade.signal, value / scale) for hit in pair)
    fits = 0 <= value <= LARGEST and second > first
    return replace(trade, adjust=f"weight.{trade.signal}={value:.3f}" if fits else "")


def _turned(corpus: Corpus, request: Request, trade: Trade, pair: Sequence[Hit], stop: Stop) -> bool:
    """Whether the two trade places in a search with the weight of a trade."""
    result = run(corpus, replace(request, adjust=(*request.adjust, trade.adjust)), stop)
    rank = {hit.document.id: hit.rank for hit in (*result.hits, *result.below)}
    first, second = (rank.get(hit.document.id, ALL) for hit in pair)
    return second < first


def _unit(hit: Hit, signal: str) -> float:
    """What a signal gives a hit for each unit of its weight."""
    return next((part.contribution / part.weight for part in hit.parts if part.name == signal), 0.0)


def _rest(hit: Hit, signal: str) -> float:
    """The sum of what the other signals give a hit."""
    return sum(part.contribution for part in hit.parts if part.name != signal)


def _lacking(search: Search, *hits: Hit) -> Iterator[Lacking]:
    """The words of the query that one hit has and the other has not, the rarest first."""
    if "words" in search.problems:
        return
    index, wanted = search.corpus.words, {hit.chunk.id: hit for hit in hits}
    number = {one.chunk.id: at for at, one in search.found.items() if one.chunk.id in wanted}
    words = sorted(
        zip(search.terms.stems, search.terms.words, strict=True), key=lambda word: -index.idf(*word)
    )
    for stem, word in words:
        one = Coverage(Terms(stems=(stem,), words=(word,)))
        has = index.score(one, [number[hit.chunk.id] for hit in hits]) > 0
        if has.any() and not has.all():
            without = hits[int(has.argmin())].document.id
            yield Lacking(word, without, index.document_frequency(stem, word), index.size())
