"""Alias: the query with a short form in place of its long one, or the other way round, by BM25.

What stands for what the corpus itself says (`ark_tui.retrieval.aliases`). It is looked for in the texts that
have the short form most, for a long form in those that have most words of the query side by side; of several
long forms the one that most of these texts give. Texts that may not answer define nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import terms as words_terms
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import aliases, feedback, worded
from ark_tui.retrieval.aliases import Definition
from ark_tui.retrieval.signals import bm25, ranked
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.index.protocols import WordQuery
    from ark_tui.store.found import Found

SITES, PLACES = 60, 20  # texts in which a short form, a long one is looked for
MOST = 3  # short forms of a query that are looked up
SMALL = 6  # letters of a short form that is written without capitals

INFO = SignalInfo(
    "alias",
    "f",
    "words",
    "The query with the long form of what it abbreviates, or the short one of what it spells out (BM25).",
)

_WORD = re.compile(r"\w+")


def other(search: Search) -> Terms:
    """The query in the other forms, once a search; nothing where it has none."""
    if search.aliased is None:
        search.aliased = Terms()
        _look_up(search)
    return search.aliased


def _look_up(search: Search) -> None:
    unwanted = set(map(feedback.form, search.request.without))
    found = [
        one
        for one in (*_spelled_out(search), *_shortened(search))
        if unwanted.isdisjoint((feedback.form(one.short), feedback.form(one.long)))
    ]
    terms = search.terms
    for one in found:
        terms = _swapped(terms, one)
    if terms != search.terms:
        search.aliased = terms
        said = dict.fromkeys(f"{one.short} = {one.long}, in {one.path}" for one in found)
        search.remarks[INFO.name] = "; ".join(said)


def _spelled_out(search: Search) -> Iterator[Definition]:
    """What the short forms of the query stand for."""
    own = set(search.terms.words)
    words = [word for word in _WORD.findall(search.query.text) if word.lower() in own]
    modelled = search.request.mode != "keyword"  # which loads no model
    likely = [word for word in dict.fromkeys(words) if _may_be_short(word, modelled=modelled)]
    for word in likely[:MOST]:
        terms = words_terms.read(word)
        given = _given(search, Bm25(terms, {"title": 1.0}), SITES)
        same = [one for one in given if one.short.lower() == word.lower()]
        if (best := aliases.commonest(same)) and not set(best.long_stems) <= set(search.terms.stems):
            yield best


def _may_be_short(word: str, *, modelled: bool) -> bool:
    """Written like a short form, or no word that the embedded model knows, if that may be asked."""
    if not aliases.SHORTEST <= len(word) <= aliases.LONGEST or word.isdecimal():
        return False
    if sum(map(str.isupper, word)) > 1:
        return True
    if not modelled or len(word) > SMALL or not static.available():
        return False
    return len(static.of_query(word.lower())) > 1


def _shortened(search: Search) -> Iterator[Definition]:
    """The short forms of what the query spells out."""
    pairs, stems = search.terms.pairs, search.terms.stems
    if not pairs:
        return
    given = _given(search, Bm25(Terms(phrases=pairs)), PLACES)
    meant = [one for one in given if _place(stems, one.long_stems) is not None]
    for long in dict.fromkeys(one.long_stems for one in meant):
        same = [one for one in meant if one.long_stems == long]
        if words_terms.stem(same[0].short.lower()) not in stems:
            yield same[0]


def _given(search: Search, query: WordQuery, limit: int) -> list[Definition]:
    """What the best texts for a query define."""
    words = search.corpus.words
    chunks = words.search(query, limit, search.filters).chunks
    known = words.shown(chunks)
    return [definition for chunk in chunks if chunk in known for definition in _defined(known[chunk])]


def _defined(hit: Found) -> Iterator[Definition]:
    """What a text defines, and the other names of its document."""
    title, path = hit.document.title, hit.document.path
    yield from aliases.definitions(f"{title}\n\n{hit.text}", path)
    yield from (Definition(name, title, path) for name in hit.aliases.splitlines())


def _swapped(terms: Terms, one: Definition) -> Terms:
    """The terms with the other form in place of the one they have."""
    short, long = words_terms.read(one.short), words_terms.read(one.long)
    for old, new in ((short, long), (long, short)):
        if (at := _place(terms.stems, old.stems)) is not None:
            end = at + len(old.stems)
            stems = (*terms.stems[:at], *new.stems, *terms.stems[end:])
            words = (*terms.words[:at], *new.words, *terms.words[end:])
            by_stem = dict(zip(stems, words, strict=True))
            return replace(
                terms,
                stems=tuple(by_stem),
                words=tuple(by_stem.values()),
                pairs=tuple(pairwise(by_stem.values())),
            )
    return terms


def _place(stems: Sequence[str], run: Sequence[str]) -> int | None:
    """Where a run stands among stems; None where it does not."""
    size = len(run)
    places = range(len(stems) - size + 1)
    return next((at for at in places if size and tuple(stems[at : at + size]) == tuple(run)), None)


def propose(search: Search, limit: int) -> Proposal:
    """The best chunks for the other forms; where there are none, that the signal rests is noted."""
    import numpy as np

    if not other(search):
        search.rests[INFO.name] = "no text here defines another form of what the query says"
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    return ranked.proposal(search.corpus.words.search(_query(search), limit, search.filters))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """Tantivy's score for the query in its other form; 0 for a chunk without any of its words."""
    return search.corpus.words.score(_query(search), candidates.chunks)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """What each word of the other form earned."""
    return worded.earned(
        search, other(search), search.profile.boosts, candidates, found, by="of the other form"
    )


def _query(search: Search) -> Bm25:
    return Bm25(other(search), search.profile.boosts)


SIGNAL = Signal(
    INFO,
    "words",
    propose,
    values,
    normalise=bm25.share_of_best,
    rrf=bm25.share_of_best,
    order=15,
    reasons=reasons,
    quiet=True,  # few searches have any use for it
)
