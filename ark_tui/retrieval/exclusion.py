"""Exclusion: a factor on what is about something that the query says, in plain words, it is not about."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.query import Either, Filters, Found, Holds
from ark_tui.index.protocols import Coverage
from ark_tui.index.words import terms
from ark_tui.retrieval.state import Candidates, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.index.words.terms import Terms

LOWEST = 0.4  # what is left of a score; with 0.5 the query's own words win one pair in ten
NAMED = 0.6  # how much it counts besides that the document is named so: it is about it, others may mention it
ELSEWHERE = 0.8  # how much it counts that another chunk of the document has the words
DENIALS = (
    *("{} free", "without {}", "without any {}", "without a {}", "without the {}", "no {}", "no more {}"),
    *("not {}", "not a {}", "not about {}", "non {}", "free of {}", "instead of {}", "rather than {}"),
    *("other than {}", "except {}", "except for {}", "apart from {}", "ohne {}", "kein {}", "keine {}"),
    *("keinen {}", "nicht {}", "nicht über {}", "frei von {}", "statt {}", "außer {}"),
)
"""What a text says that is not about something."""


def factors(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """For each candidate 1 − (1 − LOWEST) × how much it is about the thing it had better not be about.

    That is the idf share of the thing's words that the chunk has, or most of the share that another chunk of
    its document has, and more where title, file name or tags have them; none for a chunk that says itself
    that it is without the thing. The static cosine with the thing was tried beside it; as far as it did
    anything it put more pairs of texts in the wrong order.
    """
    about = np.zeros(len(candidates))
    for thing in search.query.negated if "words" not in search.problems else ():
        about = np.maximum(about, _about(search, thing, candidates))
    return 1 - (1 - LOWEST) * about


def _about(search: Search, thing: str, candidates: Candidates) -> NDArray[np.float64]:
    wanted = _terms(search, thing)
    if not wanted:
        return np.zeros(len(candidates))
    words = search.corpus.words
    here = words.score(Coverage(wanted), candidates.chunks)
    documents = candidates.documents.tolist()
    best = words.coverage_of(wanted, sorted(set(documents)))
    elsewhere = ELSEWHERE * np.array([best.get(number, 0.0) for number in documents])
    share = np.maximum(here, elsewhere).clip(0.0, 1.0)
    named = _named(search, wanted, candidates)
    share = np.maximum(share, named) + NAMED * named
    return np.where(np.isin(candidates.chunks, _denying(search, thing)), 0.0, share)


def _named(search: Search, wanted: Terms, candidates: Candidates) -> NDArray[np.float64]:
    """The share of the words that stand in title, file name or tags of each candidate's document."""
    stems = set(wanted.stems)
    shares: dict[int, float] = {}
    for number, shown in search.corpus.words.shown(candidates.chunks.tolist()).items():
        document = shown.document
        named = f"{document.title} {PurePath(document.path).stem} {' '.join(document.tags)}"
        said = {terms.stem(word) for word in terms.words(re.sub(r"[-_]", " ", named))}
        shares[number] = len(stems & said) / len(stems)
    return np.array([shares.get(number, 0.0) for number in candidates.chunks.tolist()])


def _terms(search: Search, thing: str) -> Terms:
    """The thing's words that the rest of the query has not."""
    known = set(search.terms.stems)
    return terms.read(" ".join(word for word in terms.words(thing) if terms.stem(word) not in known))


def _denying(search: Search, thing: str) -> list[int]:
    """The chunks that say themselves that they are without it."""
    where = Either(tuple(Holds(denial.format(thing)) for denial in DENIALS))
    found = search.corpus.words.resolved(Filters(where=where)).where
    parts = found.parts if isinstance(found, Either) else ()
    return [chunk for part in parts if isinstance(part, Found) for chunk in part.chunks]
