"""A search by words alone: the signals, sums and order of `pipeline`, without vectors, threads and numpy.

It answers where nothing but the word index is needed: the index is as new as the store, no time, exclusion,
re-ranking or reason is asked for, and the profile multiplies scores with nothing. Everything else is the
pipeline's. For a few hundred candidates plain lists are quicker than arrays, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ark_tui.domain.errors import IndexDamaged
from ark_tui.domain.hits import Part
from ark_tui.domain.protocols import check
from ark_tui.index.protocols import Bm25, Coverage
from ark_tui.retrieval import answer, grouping
from ark_tui.retrieval.shown import Shown
from ark_tui.retrieval.signals import alias, bm25, coverage, rerank

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.profile import Profile
    from ark_tui.index.protocols import WordQuery
    from ark_tui.retrieval.state import Search
    from ark_tui.retrieval.timing import Timer

SUMMED = (bm25.INFO.name, alias.INFO.name, coverage.INFO.name)
"""The signals that it knows, in their order."""


@dataclass(frozen=True, slots=True)
class _Column:
    """What a signal gave each candidate; as `state.Column`."""

    name: str
    weight: float
    raw: list[float]
    normalised: list[float]
    rank: list[int]
    contribution: list[float]

    def part(self, candidate: int) -> Part:
        """What it gave one candidate."""
        rank = self.rank[candidate]
        return Part(
            self.name,
            self.raw[candidate] if rank else 0.0,
            self.normalised[candidate],
            rank or None,
            self.weight,
            self.contribution[candidate],
        )


def answered(search: Search, timer: Timer) -> SearchResult | None:
    """The answer to a search that has been read; None where that takes the pipeline."""
    corpus, firsts = search.corpus, search.corpus.firsts
    if firsts is None or not _able(search):
        return None
    timer.lap("read")
    owners: dict[int, int] = {}
    asked = {name: query for name in SUMMED if (query := _asked(search, name))}
    raw = {}
    for name, query in asked.items():
        raw[name] = _proposed(search, query, owners)
        if name == bm25.INFO.name:
            timer.lap("bm25")
    timer.lap("first pass")
    check(search.stop)
    chunks = sorted(owners)
    documents = [owners[chunk] for chunk in chunks]
    columns = [_column(search, name, query, raw[name], chunks) for name, query in asked.items()]
    timer.lap("evidence")
    score = [0.0] * len(chunks)
    for column in columns:
        score = [a + b for a, b in zip(score, column.contribution, strict=True)]
    timer.lap("score")
    with Shown(search) as store:
        best, more = answer.best_of_documents(documents, score, corpus.words.days(chunks))
        of_best = [chunks[at] for at in best]
        try:
            best, under = grouping.by_first(best, of_best, firsts(of_best), score)
        except IndexDamaged:
            return None
        listing = answer.Listing(
            chunks,
            columns,
            best,
            best[: search.request.limit],
            under,
            more,
            score,
            band=["answer"] * len(best),
        )
        return answer.result(search, [*asked], listing, store, timer)


def _able(search: Search) -> bool:
    """Whether the word index alone can answer, as the request and its profile have it."""
    request, profile, corpus = search.request, search.profile, search.corpus
    return (
        request.mode == "keyword"
        and bool(search.terms)
        and not (request.explain or request.rerank or request.reranker or request.hops)
        and not (search.problems or search.times or search.query.negated or search.plugged or search.asked)
        and profile.mmr >= 1
        and not (corpus.decay and (profile.decay or profile.access))
        and bool(profile.weights.get(bm25.INFO.name))
        and not profile.weights.get(rerank.INFO.name)
        and corpus.words.has(corpus.store.change())
    )


def _asked(search: Search, name: str) -> WordQuery | None:
    """What a signal asks of the word index; None where it has no say."""
    if not search.profile.weights.get(name):
        return None
    if name == coverage.INFO.name:
        return Coverage(search.terms)
    if name == bm25.INFO.name:
        return Bm25(search.terms, search.profile.boosts)
    other = alias.other(search)
    return Bm25(other, search.profile.boosts) if other else None


def _proposed(search: Search, query: WordQuery, owners: dict[int, int]) -> dict[int, float]:
    """The scores of the best chunks for a query, whose documents are noted."""
    check(search.stop)
    found = search.corpus.words.search(query, search.profile.depth, search.filters)
    owners.update(zip(found.chunks, found.documents, strict=True))
    return dict(zip(found.chunks, found.scores, strict=True))


def _column(
    search: Search, name: str, query: WordQuery, known: dict[int, float], chunks: Sequence[int]
) -> _Column:
    """A signal over all candidates, turned into contributions as `fusion.column` says."""
    known |= search.corpus.words.scores(query, [chunk for chunk in chunks if chunk not in known])
    raw = [known.get(chunk, 0.0) for chunk in chunks]
    if isinstance(query, Coverage):
        raw = [min(max(value, 0.0), 1.0) for value in raw]
        value = raw
    else:
        most = max(raw, default=0.0)
        value = [one / most for one in raw] if most > 0 else raw
    rank = _ranks(raw)
    normalised, contribution = _weighed(search.profile, search.profile.weights[name], value, rank)
    return _Column(name, search.profile.weights[name], raw, normalised, rank, contribution)


def _weighed(
    profile: Profile, weight: float, value: list[float], rank: list[int]
) -> tuple[list[float], list[float]]:
    """The values that count, and what they give."""
    if profile.fusion == "convex":
        normalised = [one if place else 0.0 for one, place in zip(value, rank, strict=True)]
        return normalised, [weight * one for one in normalised]
    normalised = [one if 0 < place <= profile.depth else 0.0 for one, place in zip(value, rank, strict=True)]
    return normalised, [
        weight * one / (profile.k + max(place, 1)) for one, place in zip(normalised, rank, strict=True)
    ]


def _ranks(raw: list[float]) -> list[int]:
    """1 + how many are better; equals share a rank, what was not found has 0."""
    first: dict[float, int] = {}
    for place, one in enumerate(sorted((one for one in raw if one > 0), reverse=True), 1):
        first.setdefault(one, place)
    return [first.get(one, 0) for one in raw]
