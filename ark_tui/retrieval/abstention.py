"""Abstention: whether anything in the corpus is about the query at all, by absolute evidence (S18).

Scores say which text is best and never whether it is any good: divided by the best, the first of a list of
strangers looks as fine as the first of a list of friends. What is weighed here are raw quantities that mean
the same in every corpus: how much of the query's rarity a text covers, how close vectors come, how close the
closest word of a text comes to each word of the query. Their weights are a logistic regression over queries
with judged answers and queries of other corpora; docs/decisions/0008-abstention-and-weights.md has the
figures with each corpus left out, `python -m benchmarks.abstention --fit` works the numbers out again.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Evidence, Verdict
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import when
from ark_tui.retrieval.signals import static as static_signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.retrieval.state import Scored, Search

LEADERS = 10  # the best chunks, in which evidence is looked for
SMALLEST = 50  # chunks of a corpus in which rarity means anything
WAITING = 0.1  # share of chunks without vectors from which on nothing is said
COVERED = 0.999  # a text with all of the query is an answer, whatever the rest says,
WORDED = {"coverage": 0.45, "mass": 1.2}  # and so is one with this much of what is rare in it
FEW = 1000  # chunks; with fewer, rarity is known the less and the floor lies the deeper
LENIENCE = 1.4  # by which it lies deeper for every e-fold
BOOSTS = {"title": 1.0}  # the evidence is the same in every profile

WEIGHTS: Mapping[str, float] = {
    "cosine": 9.112,
    "closest": 2.965,
    "log closest": 1.559,
    "reach": -7.347,
    "weakest": 0.496,
    "kinship": 11.925,
    "mass": 2.477,
    "bm25": 0.542,
    "rarity": -4.789,
    "length": 0.846,
    "letters": -0.393,
}
BIAS = 3.238
"""Log-odds that the corpus has something, per unit of evidence; the floor is at 0."""

UNKNOWN = "None of the words of the query is in this corpus."
STRANGE = 1.75  # letters per token: a word of fewer is no word of any language that the model has seen
KINDRED = 0.32  # what a single unknown word needs of `cosine` + `kinship`, to be answered by meaning alone


def judge(search: Search, scored: Scored) -> Verdict | None:
    """Whether the corpus has anything on the query; None where that is not asked or cannot be said.

    Not for filters or times alone, phrases or a mode of one leg, not while the last word may become a known
    one, and not in a corpus too small or too unfinished to tell.
    """
    if not _can_say(search):
        return None
    found = evidence(search, scored)
    if found is None:
        return None
    if found["known"] == 0:
        return _unknown(found)
    if _worded(found) or _named(search):
        return Verdict(1.0, _parts(found, {}))
    parts = _parts(found, WEIGHTS)
    lenience = LENIENCE * max(0.0, log(FEW / _size(search)))
    standing = BIAS + lenience + sum(part.contribution for part in parts)
    return Verdict(standing, parts, "" if standing >= 0 else _why(found))


def _size(search: Search) -> int:
    """Chunks of the corpus; never fewer than are judged at all, should the index go away meanwhile."""
    return max(search.corpus.words.size(), SMALLEST)


def evidence(search: Search, scored: Scored) -> dict[str, float] | None:
    """What speaks for an answer, by name; None where there is no vector or no candidate to look at."""
    import numpy as np

    cosines = static_signal.found(search)
    there = cosines > NOWHERE
    ids = _tokens(search)
    if not len(scored.candidates) or not there.any() or not len(ids):
        return None
    words, terms = search.corpus.words, search.terms
    rarities = words.rarities(terms)
    total, unit = sum(idf for idf, _ in rarities), log(_size(search))
    top = scored.candidates.chunks[scored.top(LEADERS)].tolist()
    of_top = words.coverage(terms, search.filters, len(top), among=top).scores
    covered = max(of_top, default=0.0)
    at = search.view.places(top) if search.view else np.empty(0, np.int64)
    leading = cosines[at[at >= 0]]
    found = {
        "known": float(sum(known for _, known in rarities)),
        "terms": float(len(rarities)),
        "covered": covered,
        "coverage": max(words.coverage(terms, search.filters, 1).scores, default=0.0),
        "mass": covered * total / unit,
        "bm25": max(words.bm25(terms, BOOSTS, search.filters, 1).scores, default=0.0) / unit,
        "cosine": float(leading.max(initial=0.0)),
        "kinship": float(cosines[there].mean()),
        "letters": len("".join(search.query.text.split())) / len(ids),
        "length": log(len(rarities)) if rarities else 0.0,
        "rarity": log(max(total, 1e-9) / unit),
    }
    return found | _closeness(search, ids, top)


def _closeness(search: Search, ids: NDArray[np.uint16], chunks: list[int]) -> dict[str, float]:
    """How close the words of the leading texts come to those of the query (the cosine of token vectors)."""
    import numpy as np

    from ark_tui.embedding import static

    view = search.view
    texts = [text for text in search.corpus.vectors.tokens(view, chunks) if len(text)] if view else []
    if view is None or view.idf is None or not texts:
        return dict.fromkeys(("closest", "log closest", "reach", "weakest"), 0.0)
    close = static.closest(ids, texts)
    weights = np.asarray(view.idf)[ids].astype(np.float64)
    best = float((weights @ close).max() / weights.sum())
    return {
        "closest": best,
        "log closest": log(max(best, 0.05)),
        "reach": float(weights @ close.max(axis=1) / weights.sum()),
        "weakest": float(close.max(axis=1).min()),
    }


def _can_say(search: Search) -> bool:
    request, view = search.request, search.view
    return (
        request.mode == "hybrid"
        and not (search.terms.prefix and search.corpus.words.complete(search.terms.prefix))
        and bool(search.query.text.strip())
        and bool(search.terms)
        and not when.only(search.query.text, search.corpus.clock.now())
        and not search.terms.phrases
        and not {"words", "vectors"} & search.problems.keys()
        and view is not None
        and search.corpus.words.size() >= SMALLEST
        and view.waiting <= WAITING * len(view)
    )


def _worded(found: Mapping[str, float]) -> bool:
    """Whether the words alone settle it."""
    return found["covered"] > COVERED or all(found[name] >= least for name, least in WORDED.items())


def _named(search: Search) -> bool:
    """Whether an identifier of the query is there as it is written."""
    words = search.corpus.words
    return any(words.rarities(Terms(words=(name,), stems=(name,)))[0][1] for name in search.terms.identifiers)


def _unknown(found: Mapping[str, float]) -> Verdict:
    """No word of the query is known: a single real word may still be about what the corpus is about."""
    if found["terms"] > 1 or found["letters"] < STRANGE:
        return Verdict(-1.0, _parts(found, {}), UNKNOWN)
    standing = found["cosine"] + found["kinship"] - KINDRED
    parts = _parts(found, {"cosine": 1.0, "kinship": 1.0})
    return Verdict(standing, parts, "" if standing >= 0 else UNKNOWN)


def _parts(found: Mapping[str, float], weights: Mapping[str, float]) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, value, weights.get(name, 0.0) * value) for name, value in found.items())


def _why(found: Mapping[str, float]) -> str:
    return (
        f"Nothing in this corpus is about that: the best text covers {found['coverage']:.0%} of what is rare"
        f" in the query, and its meaning is {found['cosine']:.2f} close."
    )


def _tokens(search: Search) -> NDArray[np.uint16]:
    from ark_tui.embedding import static

    return static.tokens([search.query.text.strip()])[0]
