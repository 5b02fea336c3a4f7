"""Expanded BM25: further terms, of the leading texts and a chat model, as a query of their own (S5, S10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Expansion, SignalInfo
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import terms as words_terms
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import evidence, expansion, feedback
from ark_tui.retrieval.signals import bm25
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

INFO = SignalInfo(
    "expanded",
    "e",
    "words",
    "Words that the three best texts have in common and the rest of the corpus has not (BM25).",
)


def applies(search: Search) -> bool:
    """Whether there is anything to take terms from: the tokens of texts, or a chat model that was asked."""
    return search.index is not None or search.asked is not None


def _terms(search: Search) -> Terms:
    """The terms to look for besides the query's own, once a search."""
    if search.feedback is None:
        search.told = _told(search)
        words = tuple(dict.fromkeys((*_singly(search.told.terms), *feedback.words(search))))
        by_stem = {words_terms.stem(word): word for word in reversed(words)}
        stems = [stem for stem in by_stem if stem not in search.terms.stems][::-1]
        search.feedback = Terms(stems=tuple(stems), words=tuple(by_stem[stem] for stem in stems))
    return search.feedback


def _told(search: Search) -> Expansion:
    """The chat model's terms, those apart that no text here holds."""
    index = search.corpus.words
    found = feedback.wanted(search, expansion.terms(search), "llm")
    unknown = tuple(term for term in found.terms if not any(map(index.knows, _singly((term,)))))
    if unknown:
        expansion.say(search, f"no text here holds {', '.join(unknown)}")
    return replace(found, terms=tuple(term for term in found.terms if term not in unknown), unknown=unknown)


def _singly(told: tuple[str, ...]) -> tuple[str, ...]:
    """The words of terms that may have several, without function words."""
    found = [word for term in told for word in words_terms.words(term)]
    return tuple(dict.fromkeys(word for word in found if word not in words_terms.STOP_WORDS))


def propose(search: Search, limit: int) -> Proposal:
    return Proposal.of(search.corpus.words.search(Bm25(_terms(search)), limit // 2, search.filters))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """Tantivy's score for the added terms; 0 for a chunk without any."""
    return search.corpus.words.score(Bm25(_terms(search)), candidates.chunks)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The added words that each text has."""
    return evidence.words(search, _terms(search), {}, candidates, found, by="of the best texts")


SIGNAL = Signal(
    INFO,
    "words",
    propose,
    values,
    normalise=bm25.share_of_best,
    rrf=bm25.share_of_best,
    stage="feedback",
    applies=applies,
    order=90,
    reasons=reasons,
)
