"""Expanded BM25: what tells the leading texts from the rest of the corpus, as a query of its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.words import terms as words_terms
from ark_tui.index.words.reader import Ranked
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval.signals import bm25, ranked
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TERMS = 12
SHORTEST = 3  # letters of a term
SHARED = 10  # what occurring in one more of the leaders is worth, in occurrences

INFO = SignalInfo(
    "expanded",
    "e",
    "words",
    "Words that the three best texts have in common and the rest of the corpus has not (BM25).",
)


def _terms(search: Search) -> Terms:
    """The terms to look for besides the query's own, once a search."""
    if "words" in search.problems:
        return Terms()
    if search.feedback is None:
        words = _best(search, [words_terms.words(text) for text in _texts(search)])
        search.expansion = words
        search.feedback = Terms(stems=tuple(map(words_terms.stem, words)), words=words)
    return search.feedback


def _texts(search: Search) -> list[str]:
    from ark_tui.embedding import static

    if search.view is None:
        return []
    tokens = search.corpus.vectors.tokens(search.view, search.leaders)
    return [static.text(ids) for ids in tokens]


def _best(search: Search, texts: list[list[str]]) -> tuple[str, ...]:
    """The words of the leaders by (occurrences + SHARED × leaders that have it) × idf."""
    counts: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for text in texts:
        stems = []
        for word in text:
            if len(word) >= SHORTEST and word not in words_terms.STOP_WORDS:
                stem = words_terms.stem(word)
                spelled.setdefault(stem, word)
                stems.append(stem)
        counts.update(stems)
        counts.update(dict.fromkeys(set(stems), SHARED))
    index = search.corpus.words
    worth = {
        stem: count * index.idf(stem) for stem, count in counts.items() if stem not in search.terms.stems
    }
    best = sorted(worth, key=lambda stem: (-worth[stem], stem))[:TERMS]
    return tuple(spelled[stem] for stem in best)


def propose(search: Search, limit: int) -> Proposal:
    return ranked.proposal(_found(search, limit // 2))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """Tantivy's score for the added terms; 0 for a chunk without any."""
    return ranked.spread(_found(search, len(candidates), candidates.chunks.tolist()), candidates)


def _found(search: Search, limit: int, among: list[int] | None = None) -> Ranked:
    terms = _terms(search)
    if not terms:
        return Ranked()
    return search.corpus.words.bm25(terms, {}, search.filters, limit, among)


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    normalise=bm25.share_of_best,
    rrf=bm25.share_of_best,
    stage="feedback",
)
