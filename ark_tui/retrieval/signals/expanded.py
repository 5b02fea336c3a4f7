"""Expanded BM25: terms from the leading texts and a chat model as a separate query (S5, S10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Expansion, SignalInfo, SignalStatus
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import terms as words_terms
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import evidence, feedback
from ark_tui.retrieval.fusion import share_of_best
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

LAMP = "expansion"
VAGUE = 2  # maximum words of a vague query


def begin(search: Search) -> None:
    """Request terms from the chat model if this search needs them; the table `expand` gives the weights."""
    request, profile = search.request, search.profile
    if request.expand is False or request.typing or request.mode == "semantic":
        return
    if not (request.expand or (is_vague(search.terms) and search.corpus.expands_unasked)):
        return
    expander = search.corpus.expander()
    weights = {**profile.expand, **profile.weights}
    if why := _obstacle(search, weights):
        search.lamp = SignalStatus(LAMP, "off" if request.expand else "idle", why)
    elif expander is not None:
        search.asked = expander.ask(search.query.text)
        search.lamp = SignalStatus(LAMP, "on")
        search.profile = replace(profile, weights=weights)
        search.chat_only = not profile.weights.get(INFO.name)


def is_vague(terms: Terms) -> bool:
    """Whether a query is vague: at most two words, without phrases, identifiers or digits."""
    exact = terms.phrases or terms.identifiers or any(char.isdigit() for word in terms.words for char in word)
    return 0 < len(terms.stems) <= VAGUE and not exact


def _obstacle(search: Search, weights: Mapping[str, float]) -> str:
    """Why no chat model is called; empty if one can be."""
    if not weights.get(INFO.name):
        return f"the profile {search.profile.name} gives {INFO.name} no weight"
    if not search.query.text.strip():
        return "there are no words to expand"
    if search.corpus.expander() is None:
        return "switched off, by ARK_NO_LLM_EXPAND or by expand = false"
    return ""


def applies(search: Search) -> bool:
    """Whether there is a source of terms: vectors for the leading texts, or a called chat model."""
    return search.index is not None or search.asked is not None


def _terms(search: Search) -> Terms:
    """The expansion terms without the query's own; cached per search."""
    if search.feedback is None:
        search.told = _told(search)
        words = _singly(search.told.terms)
        if not search.chat_only:
            words = tuple(dict.fromkeys((*words, *feedback.words(search))))
        elif not words:
            search.rests[INFO.name] = "the chat model adds no term"
        by_stem = {words_terms.stem(word): word for word in reversed(words)}
        stems = [stem for stem in by_stem if stem not in search.terms.stems][::-1]
        search.feedback = Terms(stems=tuple(stems), words=tuple(by_stem[stem] for stem in stems))
    return search.feedback


def _told(search: Search) -> Expansion:
    """The chat model's terms; those found in no text are listed separately as unknown."""
    index = search.corpus.words
    found = feedback.wanted(search, _answer(search), "llm")
    unknown = tuple(term for term in found.terms if not any(map(index.knows, _singly((term,)))))
    if unknown and search.lamp is not None:
        why = (search.lamp.reason, f"no text here has {', '.join(unknown)}")
        search.lamp = replace(search.lamp, reason="; ".join(filter(None, why)))
    return replace(found, terms=tuple(term for term in found.terms if term not in unknown), unknown=unknown)


def _answer(search: Search) -> tuple[str, ...]:
    """The chat model's terms; empty if it was not called or returned none within the budget."""
    asked, expander = search.asked, search.corpus.expander()
    if asked is None or expander is None:
        return ()
    search.asked = None
    found = expander.await_terms(asked, patient=bool(search.request.expand), stop=search.stop)
    if found.reason or not found.terms:
        search.lamp = SignalStatus(LAMP, "on" if found.terms else "off", found.reason)
    return found.terms


def _singly(told: tuple[str, ...]) -> tuple[str, ...]:
    """The single words of terms, without stop words."""
    found = [word for term in told for word in words_terms.words(term)]
    return tuple(dict.fromkeys(word for word in found if word not in words_terms.STOP_WORDS))


def propose(search: Search, limit: int) -> Proposal:
    return Proposal.of(search.corpus.words.search(Bm25(_terms(search)), limit // 2, search.filters))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """Tantivy's score for the expansion terms; 0 for a chunk without any."""
    return search.corpus.words.score(Bm25(_terms(search)), candidates.chunks)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The expansion words that each text contains."""
    return evidence.words(search, _terms(search), {}, candidates, found, by="of the best texts")


SIGNAL = Signal(
    INFO,
    "words",
    propose,
    values,
    share_of_best,
    stage="feedback",
    applies=applies,
    order=90,
    reasons=reasons,
)
