"""Abstention: whether a corpus has an answer, by absolute evidence, and which hits are weak (S18, S25).

Scores are relative: they rank texts but do not tell whether the best one is good. The evidence used here is
comparable across corpora of 5 to 100,000 chunks: the idf share of the query that a text covers, the best
cosine, and the token similarity of the best passage. The weights come from a logistic regression over queries
with judged answers and queries of other corpora (`python -m benchmarks.abstention --fit`). For a model with a
calibrated cosine, that cosine alone decides.
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

LEADERS = 10  # the best chunks, from which evidence is computed
WAITING = 0.1  # maximum share of chunks without vectors for a verdict
COVERED = 0.999  # a text that covers the whole query is always an answer

WEIGHTS: Mapping[str, float] = {"coverage": 3.07, "passage": 2.80, "cosine": 5.90, "mean cosine": 12.28}
BIAS = -5.40
"""Log-odds that the corpus has an answer, per unit of evidence; the floor is at 0."""

MODELS: Mapping[str, tuple[float, float]] = {"local:minilm": (0.36, 30.0)}
"""By model name: the best cosine at which an answer is as likely as none, and log-odds per unit.

Fitted to 200 queries of eight sets, each asked of its own texts and of 1,500 to 1,900 of the other sets,
then lowered until 98 % of the questions of benchmarks/ways list a hit.
"""

NOTHING = -3.5  # log-odds below which nothing is listed
UNKNOWN = -9.0  # log-odds if no word of the query is in the corpus
SURE = 0.6  # minimum share of the best score of an answer
END = 0.4  # share of the best score at which the list ends
NO_WORD = "No word of the query is in this corpus."


def assigned(
    scores: NDArray[np.float64],
    verdict: Verdict | None,
    profile: Profile,
    listed: int = 0,
) -> list[Band]:
    """The band of each score, best first. Without a verdict all are answers.

    `listed`: the number of texts that are listed at least. Shares of the best score are used only with convex
    fusion: reciprocal ranks always decrease.
    """
    if verdict is None:
        return ["answer"] * len(scores)
    if verdict.log_odds < NOTHING:
        return ["below"] * len(scores)
    best = scores.max(initial=0.0) if profile.fusion == "convex" else 0.0
    shares = (scores / best).tolist() if best > 0 else [1.0] * len(scores)
    bands = [_band(share, doubted=verdict.log_odds < 0) for share in shares]
    return ["weak" if band == "below" and at < listed else band for at, band in enumerate(bands)]


def _band(share: float, *, doubted: bool) -> Band:
    if share < END:
        return "below"
    return "weak" if doubted or share < SURE else "answer"


def with_all_words(search: Search, verdict: Verdict | None, chunks: list[int]) -> int:
    """The number of chunks up to the last one that contains every word of the query; 0 if none does."""
    evidence = verdict.evidence if verdict else ()
    if not any(part.name == "covered" and part.value > COVERED for part in evidence):
        return 0
    _, terms = _without_times(search)
    covered = search.corpus.words.score(Coverage(terms, own=True), chunks) > COVERED
    return int(max(covered.nonzero()[0], default=-1)) + 1


def judge(search: Search, scored: Scored) -> Verdict | None:
    """Judge whether the corpus has an answer to the query; None if that cannot be judged.

    There is no verdict for queries of filters or times only, for phrases, for modes other than hybrid, and
    while the last word is a prefix of a known word.
    """
    found = evidence(search, scored) if _can_say(search) else None
    if found is None:
        return None
    if found["covered"] > COVERED or _named(search):
        return Verdict(1.0, _parts(found, {}))
    if rule := MODELS.get(search.model.served.name) if search.model else None:
        floor, slope = rule
        log_odds = slope * (found.get("model cosine", floor) - floor)
        parts = _parts(found, {"model cosine": slope})
    elif found["known"] == 0 and found["terms"] > 1:
        return Verdict(UNKNOWN, _parts(found, {}), NO_WORD)
    else:
        parts = _parts(found, WEIGHTS)
        log_odds = BIAS + sum(part.contribution for part in parts)
    return Verdict(float(log_odds), parts, "" if log_odds >= 0 else _why(found))


def evidence(search: Search, scored: Scored) -> dict[str, float] | None:
    """The evidence for an answer, by name; None without a query vector or candidates.

    Times in the query are ignored: a text of that time often does not mention it.
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
    """The query text without its times, and the remaining terms."""
    text = search.query.text
    rest = dates.without_times(text, search.corpus.clock.now())
    gone = set() if rest == text else {*read(text).words} - {*read(rest).words}
    kept = [pair for pair in zip(search.terms.stems, search.terms.words, strict=True) if pair[1] not in gone]
    stems, words = tuple(stem for stem, _ in kept), tuple(word for _, word in kept)
    return rest, replace(search.terms, stems=stems, words=words)


def _words(search: Search, terms: Terms, top: list[int]) -> dict[str, float]:
    """The evidence of words: how many the corpus contains, and how well the best texts cover them."""
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
    """The MaxSim of the best passage with the query (cosine of token vectors)."""
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
    """Whether the corpus contains an identifier of the query verbatim."""
    words = search.corpus.words
    return any(words.rarities(Terms(words=(name,), stems=(name,)))[0][1] for name in search.terms.identifiers)


def _parts(found: Mapping[str, float], weights: Mapping[str, float]) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, value, weights.get(name, 0.0) * value) for name, value in found.items())


def _why(found: Mapping[str, float]) -> str:
    return (
        f"Low confidence: the best text contains {found['coverage']:.0%} of the query's rare words, and its "
        f"similarity is {found.get('model cosine', found['cosine']):.2f}."
    )
