"""Verbatim: texts that contain the query word for word come first.

It applies to a query of several words, or of one identifier such as `192.168.1.1`, that few documents contain
verbatim: then the user is likely looking for that passage. Its weight is a multiple of all the others
together (`fusion.scaled`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.domain.query import Filters, Found, Holds
from ark_tui.domain.reasons import Reason
from ark_tui.domain.unicode import aligned, normal
from ark_tui.index.words import analysis
from ark_tui.retrieval.shown import Shown
from ark_tui.retrieval.signals import bm25
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons, Where
    from ark_tui.store.found import Found as Shows

MOST = 20  # documents with a match; a query with more is a topic
FORMS = 0.5  # the value if the words occur in other forms

INFO = SignalInfo("verbatim", "w", "words", "The text contains the query word for word.")


def applies(search: Search) -> bool:
    """Whether a few texts contain the query verbatim; cached per search."""
    if search.phrase is None:
        search.phrase = _found(search)
    return len(search.phrase.chunks) > 0


def _found(search: Search) -> Proposal:
    import numpy as np

    text, nothing = _asked(search), np.empty(0, np.int64)
    none = Proposal(nothing, nothing, np.empty(0))
    if not _is_exact(search) or "words" in search.problems:
        return none
    words = search.corpus.words
    where = words.resolved(Filters(where=Holds(text))).where
    if not isinstance(where, Found) or not 0 < len(where.documents) <= MOST:
        return none
    ranked = words.search(bm25.query(search), len(where.chunks) + 1, _with(search.filters, text))
    order = np.argsort(ranked.chunks)
    chunks = np.array(ranked.chunks, np.int64)[order]
    with Shown(search) as store:
        known = store.found(chunks.tolist())
    pattern = _pattern(text)
    values = [_value(pattern, known.get(chunk)) for chunk in chunks.tolist()]
    return Proposal(chunks, np.array(ranked.documents, np.int64)[order], np.array(values))


def _asked(search: Search) -> str:
    """The text to match, including natural-language exclusions, which may be part of a quotation."""
    query = search.query
    typed = query.negated and not query.filters and not query.phrases
    return (query.raw if typed else query.text).strip()


def _is_exact(search: Search) -> bool:
    """Whether the query has several words, or one identifier or compound with punctuation."""
    text = _asked(search)
    several = len(text.split()) > 1
    joined = analysis.IDENTIFIER.fullmatch(text) or re.fullmatch(r"\w+([^\w\s]\w+)+", text)
    return bool(search.terms) and not search.request.typing and (several or joined is not None)


def _with(filters: Filters, text: str) -> Filters:
    from ark_tui.index.filters import both

    return both(filters, Filters(where=Holds(text)))


def _pattern(text: str) -> re.Pattern[str]:
    """The pattern of the text with any white space, at word boundaries."""
    written = r"\s+".join(map(re.escape, normal(text).split()))
    return re.compile(rf"(?<![\w])(?<![\w][.:/@-]){written}(?![\w]|[.:/@-]\w)", re.IGNORECASE)


def _value(pattern: re.Pattern[str], hit: Shows | None) -> float:
    if hit is None:
        return 0.0
    places = (hit.text, hit.document.title, hit.chunk.heading, hit.document.path)
    return 1.0 if any(pattern.search(normal(place)) for place in places) else FORMS


def propose(search: Search, _: int) -> Proposal:
    assert search.phrase is not None
    return search.phrase


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """1 if the text contains the query as written, `FORMS` if in other word forms, else 0."""
    import numpy as np

    assert search.phrase is not None
    chunks, known = search.phrase.chunks, search.phrase.raw
    assert known is not None
    at = np.searchsorted(chunks, candidates.chunks).clip(max=len(chunks) - 1)
    return np.where(chunks[at] == candidates.chunks, known[at], 0.0)


def reasons(search: Search, candidates: Candidates, found: Sequence[Shows]) -> list[Reasons]:
    """The character ranges of the query in each text."""
    text = _asked(search)
    pattern = _pattern(text)
    said: list[Reasons] = []
    for hit, value in zip(found, values(search, candidates), strict=True):
        plain, places = aligned(hit.text) if normal(hit.text) != hit.text else (hit.text, None)
        found_in = (match.span() for match in pattern.finditer(plain))
        spans = tuple((places[a], places[b]) if places else (a, b) for a, b in found_in)
        where: Where = "text" if spans or not pattern.search(normal(hit.document.title)) else "title"
        said.append((Reason("word", text, text, where, float(value), spans),) if value else ())
    return said


SIGNAL = Signal(
    INFO, "words", propose, values, applies=applies, order=20, quiet=True,
    reasons=reasons,
)  # fmt: skip
