"""Pseudo-relevance feedback: the leading chunks of the first pass, and the words they add (S3)."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Expansion
from ark_tui.index.words import terms as words_terms
from ark_tui.retrieval.shown import Shown

if TYPE_CHECKING:
    from ark_tui.domain.hits import TermSource
    from ark_tui.retrieval.state import Search

SHORTEST = 3  # letters of a word
HALVES = """
aren couldn didn doesn don hadn hasn haven isn mustn needn shan shouldn wasn weren won wouldn
"""  # tokens of contractions such as `aren't`
SAYING_NOTHING = words_terms.STOP_WORDS | frozenset(HALVES.split())
LEAST = 2  # chunks that must contain an added word


def leaders(search: Search) -> tuple[int, ...]:
    """The leading chunks, best first: by the fused score or by cosine alone, depending on the profile.

    Texts that the query excludes and texts with a cosine below the profile's floor never lead.
    """
    import numpy as np

    from ark_tui.retrieval import exclusion
    from ark_tui.retrieval.signals import meaning

    rule, candidates, so_far = search.profile.feedback, search.candidates, search.so_far
    if candidates is None or so_far is None or not rule.hits:
        return ()
    worth = so_far if rule.source == "fused" else meaning.scores(search, candidates)
    able = np.ones(len(candidates), bool)
    if rule.floor > -1:
        able &= meaning.scores(search, candidates) >= rule.floor
    if search.query.negated:
        able &= exclusion.factors(search, candidates) == 1.0
    order = np.argsort(-worth, kind="stable")
    return tuple(candidates.chunks[order[able[order]]][: rule.hits].tolist())


def words(search: Search) -> tuple[str, ...]:
    """The words that the leaders add to the query, as spelled in the texts; cached per search."""
    if search.added is None:
        best = _best(search, [words_terms.words(text) for text in _texts(search)])
        search.added = wanted(search, best, "feedback")
    return search.added.terms


def wanted(search: Search, terms: tuple[str, ...], source: TermSource) -> Expansion:
    """The expansion by `terms`, without those that the request rejects; these are not replaced."""
    forms = {term: form(term) for term in terms}
    without = tuple(name for name in search.request.without if form(name) in forms.values())
    unwanted = set(map(form, without))
    kept = tuple(term for term in terms if forms[term] not in unwanted)
    return Expansion(kept, source if terms else "none", without)


def form(term: str) -> tuple[str, ...]:
    """The stems of a term, equal for all its forms."""
    return tuple(map(words_terms.stem, words_terms.words(term))) or (term.casefold(),)


def _texts(search: Search) -> list[str]:
    """The leading texts, each preceded by its title and heading."""
    with Shown(search) as store:
        found = store.found(search.leaders or ())
    return [f"{hit.document.title} {hit.chunk.heading} {hit.text}" for hit in found.values()]


def _best(search: Search, texts: list[list[str]]) -> tuple[str, ...]:
    """The most frequent words of the texts, without the query's own."""
    counts: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for text in texts:
        nothing = SAYING_NOTHING | words_terms.function_words(text, search.corpus.words.languages)
        for word in text:
            if len(word) >= SHORTEST and word not in nothing and not any(map(str.isdigit, word)):
                stem = words_terms.stem(word)
                spelled.setdefault(stem, word)
                counts[stem] += 1
    fresh = [stem for stem in counts if stem not in search.terms.stems]
    best = sorted(fresh, key=lambda stem: (-counts[stem], stem))
    shared = (stem for stem in best if _is_shared(search, stem, spelled[stem]))
    return tuple(spelled[stem] for stem in islice(shared, search.profile.feedback.terms))


def _is_shared(search: Search, stem: str, word: str) -> bool:
    """Whether at least `LEAST` chunks contain the word; a word that occurs once finds nothing new."""
    if "words" in search.problems:
        return True
    return search.corpus.words.document_frequency(stem, word) >= LEAST
