"""Abstention: whether anything in the corpus is about the query at all, by absolute evidence (S18).

Scores say which text is best and never whether it is any good: divided by the best, the first of a list of
strangers looks as fine as the first of a list of friends. What is weighed here are raw quantities that mean
the same in every corpus: how much of the query's rarity a text covers, how close vectors come, how close the
words of one passage come to those of the query. Their weights are a logistic regression over queries
with judged answers and queries of other corpora; docs/decisions/0008-abstention-and-weights.md has the
figures with each corpus left out, `python -m benchmarks.abstention --fit` works the numbers out again.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Evidence, Verdict
from ark_tui.embedding import static
from ark_tui.index.protocols import Bm25, Coverage
from ark_tui.index.words.terms import Terms, read
from ark_tui.retrieval import akin, bands, when
from ark_tui.retrieval.signals import static as static_signal
from ark_tui.retrieval.state import PASSAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.retrieval.state import Scored, Search

LEADERS = 10  # the best chunks, in which evidence is looked for
SMALLEST = 50  # chunks of a corpus in which rarity means anything
WAITING = 0.1  # share of chunks without vectors from which on nothing is said
COVERED = 0.999  # a text with all of the query is an answer, whatever the rest says
WHOLE = 1 - 1e-6  # all of the query, but for rounding: no other text can have more
SAME = 0.98  # cosine from which on two tokens are one word
FEW = 1000  # chunks; with fewer, rarity is known the less and the floor lies the deeper
LENIENCE = 3.5  # by which it lies deeper for every e-fold
BOOSTS = {"title": 1.0}  # the evidence is the same in every profile

WEIGHTS: Mapping[str, float] = {
    "coverage": 3.184,
    "bm25": 1.564,
    "rarity": -3.928,
    "cosine 99 %": 10.712,
    "cosine 99.9 %": 7.939,
    "reach": -4.456,
    "passage": 5.370,
    "log passage": 0.468,
    "said": -2.013,
    "rare said": 0.842,
}
BIAS = -5.970
"""Log-odds that the corpus has something, per unit of evidence; the floor is at 0."""

OUT_OF_QUESTION = -9.0
"""Log-odds where no word of the query is known."""

UNKNOWN = "None of the words of the query is in this corpus."
STRANGE = 1.75  # letters per token: a word of fewer is no word of any language that the model has seen
KINDRED = 0.28  # what a single unknown word needs of `cosine` + `kinship`, to be answered by meaning alone


def begin(search: Search) -> None:
    """Work out ahead what takes a while and needs no candidates; the index remembers it."""
    probe, index = static_signal.probe(search), search.index
    if index and probe and _can_say(search):
        index.levels(probe.vector, search.filters)


def judge(search: Search, scored: Scored) -> Verdict | None:
    """Whether the corpus has anything on the query; None where that is not asked or cannot be said.

    Not for filters or times alone, phrases or a mode of one backend, not while the last word may become a
    known one, and not in a corpus too small or too unfinished to tell.
    """
    if not _can_say(search):
        return None
    found = evidence(search, scored)
    if found is None:
        return None
    if found["known"] == 0:
        return _unknown(found)
    if found["covered"] > COVERED or _named(search):
        return Verdict(1.0, _parts(found, {}))
    parts = _parts(found, WEIGHTS)
    lenience = LENIENCE * max(0.0, log(FEW / _size(search)))
    standing = float(BIAS + lenience + sum(part.contribution for part in parts))
    return Verdict(standing, parts, "" if standing >= 0 else _why(found, doubted=standing >= bands.NOTHING))


def _size(search: Search) -> int:
    """Chunks of the corpus; never fewer than are judged at all, should the index go away meanwhile."""
    return max(search.corpus.words.size(), SMALLEST)


def evidence(search: Search, scored: Scored) -> dict[str, float] | None:
    """What speaks for an answer, by name; None where there is no vector or no candidate to look at.

    Times that the query names are left aside: texts are from a time more often than they spell it.
    """
    probe, index = static_signal.probe(search), search.index
    levels = index.levels(probe.vector, search.filters) if index and probe else None
    said, terms = _said(search)
    ids = static.of_query(said.strip())
    if probe is None or index is None or levels is None or not len(scored.candidates) or not len(ids):
        return None
    top = scored.candidates.chunks[scored.top(LEADERS)].tolist()
    found = _words(search, terms, top)
    found |= {
        "cosine": float(index.score(probe.vector, top).max(initial=0.0)),
        "kinship": levels.mean,
        "cosine 99 %": levels.hundredth,
        "cosine 99.9 %": levels.thousandth,
        "letters": len("".join(said.split())) / len(ids),
    }
    return found | _closeness(search, ids, top)


def _said(search: Search) -> tuple[str, Terms]:
    """The query without the times that it names, and the words of that."""
    text = search.query.text
    said = when.without_times(text, search.corpus.clock.now())
    return (text, search.terms) if said == text else (said, read(said))


def _words(search: Search, terms: Terms, top: list[int]) -> dict[str, float]:
    """How much of the query's words the corpus, and the leading texts, have."""
    words = search.corpus.words
    rarities = words.rarities(terms)
    total, unit = sum(idf for idf, _ in rarities), log(_size(search))
    covered, of_all = float(words.score(Coverage(terms, own=True), top).max(initial=0.0)), 1.0
    if covered < WHOLE:
        of_all = max(words.search(Coverage(terms, own=True), 1, search.filters).scores, default=0.0)
    return {
        "known": float(sum(known for _, known in rarities)),
        "terms": float(len(rarities)),
        "covered": covered,
        "coverage": of_all,
        "bm25": max(words.search(Bm25(terms, BOOSTS), 1, search.filters).scores, default=0.0) / unit,
        "rarity": log(max(total, 1e-9) / unit),
    }


def _closeness(search: Search, ids: NDArray[np.uint16], chunks: list[int]) -> dict[str, float]:
    """How close the words of the leading texts come to those of the query (the cosine of token vectors)."""
    import numpy as np

    index = search.index
    texts = [text for text in akin.tokens(search, chunks) if len(text)] if index else []
    if index is None or not texts:
        return dict.fromkeys(("reach", "passage", "log passage", "said", "rare said"), 0.0)
    close = static.closest_in_passages(ids, texts, PASSAGE)
    weights = akin.EVEN()[ids].astype(np.float64)
    total = weights.sum()
    passage = float((weights @ close).max() / total)
    said = float((weights @ (close > SAME)).max())
    return {
        "reach": float(weights @ close.max(axis=1) / total),
        "passage": passage,
        "log passage": log(max(passage, 0.05)),
        "said": said / total,
        "rare said": said / log(_size(search)),
    }


def _can_say(search: Search) -> bool:
    request, index = search.request, search.index
    return (
        request.mode == "hybrid"
        and bool(search.query.text.strip())
        and bool(search.terms)
        and not when.only(search.query.text, search.corpus.clock.now())
        and not search.terms.phrases
        and not {"words", "vectors"} & search.problems.keys()
        and index is not None
        and search.corpus.words.size() >= SMALLEST
        and index.waiting <= WAITING * index.size
        and not (search.terms.prefix and search.corpus.words.complete(search.terms.prefix))
    )


def _named(search: Search) -> bool:
    """Whether an identifier of the query is there as it is written."""
    words = search.corpus.words
    return any(words.rarities(Terms(words=(name,), stems=(name,)))[0][1] for name in search.terms.identifiers)


def _unknown(found: Mapping[str, float]) -> Verdict:
    """No word of the query is known: a single real word may still be about what the corpus is about."""
    if found["terms"] > 1 or found["letters"] < STRANGE:
        return Verdict(OUT_OF_QUESTION, _parts(found, {}), UNKNOWN)
    standing = found["cosine"] + found["kinship"] - KINDRED
    if standing < 0:
        return Verdict(OUT_OF_QUESTION, _parts(found, {}), UNKNOWN)
    return Verdict(standing, _parts(found, {"cosine": 1.0, "kinship": 1.0}))


def _parts(found: Mapping[str, float], weights: Mapping[str, float]) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, value, weights.get(name, 0.0) * value) for name, value in found.items())


def _why(found: Mapping[str, float], *, doubted: bool) -> str:
    start = "Perhaps nothing" if doubted else "Nothing"
    return (
        f"{start} in this corpus is about that: the best text covers {found['coverage']:.0%} of what is rare"
        f" in the query, and its meaning is {found['cosine']:.2f} close."
    )
