"""The floor: whether a corpus has an answer at all, by absolute evidence, and which hits are weak (S18, S25).

Scores say which text is best and never whether it is any good. What is weighed here means the same in every
corpus, of 5 chunks or of 100,000: how much of the query's rarity a text covers, how close the best vector
comes, how close the words of one passage come to those of the query. The weights are a logistic regression
over queries with judged answers and queries of other corpora (`python -m benchmarks.abstention --fit`). Of a
model with a calibrated cosine of its own that cosine alone decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.dates import query as dates
from ark_tui.domain.hits import Evidence, Verdict
from ark_tui.index.protocols import Coverage
from ark_tui.index.words.terms import Terms, read
from ark_tui.retrieval import query
from ark_tui.retrieval.signals import maxsim, model, static

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import Band
    from ark_tui.domain.profile import Profile
    from ark_tui.retrieval.state import Scored, Search

LEADERS = 10  # the best chunks, in which evidence is looked for
WAITING = 0.1  # share of chunks without vectors from which on nothing can be said
COVERED = 0.999  # a text with all of the query is an answer, whatever else

WEIGHTS: Mapping[str, float] = {"coverage": 3.07, "passage": 2.80, "cosine": 5.90, "mean cosine": 12.28}
BIAS = -5.90
"""Log-odds that the corpus has an answer, per unit of evidence; the floor is at 0."""

MODELS: Mapping[str, tuple[float, float]] = {"local:minilm": (0.39, 30.0)}
"""By the name of a model: the best cosine at which an answer is as likely as none, and log-odds per unit.

Fitted to 200 queries of eight sets, each asked of its own texts and of 1,500 to 1,900 of the other sets.
"""

NOTHING = -3.5  # log-odds under which nothing is listed
UNKNOWN = -9.0  # log-odds where no word of the query is in the corpus
SURE = 0.6  # share of the best score from which on a hit is an answer
END = 0.4  # share of the best score at which the list ends
NO_WORD = "No word of the query is in this corpus."


def assigned(scores: NDArray[np.float64], verdict: Verdict | None, profile: Profile) -> list[Band]:
    """The band of each score. Without a verdict nothing is doubted.

    Shares of the best mean something in a convex sum only: reciprocal ranks fall by themselves.
    """
    if verdict is None:
        return ["answer"] * len(scores)
    if verdict.standing < NOTHING:
        return ["below"] * len(scores)
    best = scores.max(initial=0.0) if profile.fusion == "convex" else 0.0
    shares = (scores / best).tolist() if best > 0 else [1.0] * len(scores)
    return [_band(share, doubted=verdict.standing < 0) for share in shares]


def _band(share: float, *, doubted: bool) -> Band:
    if share < END:
        return "below"
    return "weak" if doubted or share < SURE else "answer"


def judge(search: Search, scored: Scored) -> Verdict | None:
    """Whether the corpus has anything on the query; None where that is not asked or cannot be said.

    Not for filters or times alone, phrases or a mode of one backend, and not while the last word may become a
    known one.
    """
    found = evidence(search, scored) if _can_say(search) else None
    if found is None:
        return None
    if found["covered"] > COVERED or _named(search):
        return Verdict(1.0, _parts(found, {}))
    if rule := MODELS.get(search.model.served.name) if search.model else None:
        floor, slope = rule
        standing = slope * (found.get("model cosine", floor) - floor)
        parts = _parts(found, {"model cosine": slope})
    elif found["known"] == 0 and found["terms"] > 1:
        return Verdict(UNKNOWN, _parts(found, {}), NO_WORD)
    else:
        parts = _parts(found, WEIGHTS)
        standing = BIAS + sum(part.contribution for part in parts)
    return Verdict(float(standing), parts, "" if standing >= 0 else _why(found))


def evidence(search: Search, scored: Scored) -> dict[str, float] | None:
    """The evidence for an answer, by name; None where there is no vector or no candidate.

    Times that the query names are left aside: texts are from a time more often than they spell it.
    """
    probe, index = static.probe(search), search.index
    text, terms = _without_times(search)
    if probe is None or index is None or not len(scored.candidates) or not terms:
        return None
    top = scored.candidates.chunks[scored.top(LEADERS)].tolist()
    levels = index.levels(probe.vector, search.filters)
    found = _words(search, terms, top) | {
        "cosine": float(index.score(probe.vector, top).max(initial=0.0)),
        "mean cosine": levels.mean if levels else 0.0,
        "passage": _passage(search, text, top),
    }
    if (own := model.probe(search)) is not None:
        found["model cosine"] = float(own.index.score(own.vector, top).max(initial=0.0))
    return found


def _without_times(search: Search) -> tuple[str, Terms]:
    """The query without the times that it names, and the words of that."""
    text = search.query.text
    rest = dates.without_times(text, search.corpus.clock.now())
    gone = set() if rest == text else {*read(text).words} - {*read(rest).words}
    kept = [pair for pair in zip(search.terms.stems, search.terms.words, strict=True) if pair[1] not in gone]
    stems, words = tuple(stem for stem, _ in kept), tuple(word for _, word in kept)
    return rest, replace(search.terms, stems=stems, words=words)


def _words(search: Search, terms: Terms, top: list[int]) -> dict[str, float]:
    """How much of the query's words the corpus, and the leading texts, have."""
    words = search.corpus.words
    rarities = words.rarities(terms)
    asked = Coverage(terms, own=True)
    best = max(words.search(asked, 1, search.filters).scores, default=0.0)
    return {
        "known": float(sum(known for _, known in rarities)),
        "terms": float(len(rarities)),
        "covered": float(words.score(asked, top).max(initial=0.0)),
        "coverage": best,
    }


def _passage(search: Search, text: str, chunks: list[int]) -> float:
    """How close the words of the best passage come to those of the query (the cosine of token vectors)."""
    ids, weights = maxsim.query(search, text)
    texts = [some for some in maxsim.tokens(search, chunks) if len(some)]
    if not len(ids) or not texts:
        return 0.0
    close, _ = maxsim.closest(ids, texts)
    return float((weights @ close).max())


def _can_say(search: Search) -> bool:
    request, index = search.request, search.index
    return (
        request.mode == "hybrid"
        and bool(search.query.text.strip())
        and bool(search.terms)
        and not query.only_times(search.query.text, search.corpus.clock.now())
        and not search.terms.phrases
        and not {"words", "vectors"} & search.problems.keys()
        and index is not None
        and index.waiting <= WAITING * index.size
        and not (search.terms.prefix and search.corpus.words.complete(search.terms.prefix))
    )


def _named(search: Search) -> bool:
    """Whether an identifier of the query is there as it is written."""
    words = search.corpus.words
    return any(words.rarities(Terms(words=(name,), stems=(name,)))[0][1] for name in search.terms.identifiers)


def _parts(found: Mapping[str, float], weights: Mapping[str, float]) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, value, weights.get(name, 0.0) * value) for name, value in found.items())


def _why(found: Mapping[str, float]) -> str:
    return (
        f"Low confidence: the best text contains {found['coverage']:.0%} of the query's rare words, and its "
        f"similarity is {found.get('model cosine', found['cosine']):.2f}."
    )
