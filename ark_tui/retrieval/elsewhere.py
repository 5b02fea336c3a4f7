"""Reasons from elsewhere: the passages and documents that a text's score comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.reasons import LEAST, MOST, Reason, Reasons, Source
from ark_tui.index.words import terms as words_terms
from ark_tui.retrieval.shown import Shown

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.retrieval.state import Search
    from ark_tui.store.found import Found


def passages(search: Search, chunks: Sequence[int]) -> dict[int, Found]:
    """Chunks by number, with what is shown of them; one that has gone is left out."""
    with Shown(search) as store:
        return store.found(list(dict.fromkeys(chunks)))


def source(hit: Found) -> Source:
    """Where a passage stands."""
    lines = hit.chunk.start_line, hit.chunk.end_line
    return Source(hit.document.id, hit.document.title, hit.document.path, *lines)


def word(search: Search, hit: Found) -> str:
    """The rarest word of the query that a text has; empty where it has none."""
    here = {words_terms.stem(one, hit.language) for one in words_terms.words(hit.text)}
    index = search.corpus.words
    named = [
        (index.idf(stem, written), written)
        for stem, written in zip(search.terms.stems, search.terms.words, strict=True)
        if words_terms.stem(written, hit.language) in here
    ]
    return max(named)[1] if named and "words" not in search.problems else ""


def linked(search: Search, brought: Sequence[Mapping[int, float]]) -> list[Reasons]:
    """For each of some texts, what documents that it is linked with bring it, by their numbers."""
    with Shown(search) as store:
        known = store.documents(sorted({number for some in brought for number in some}))
    return [
        tuple(
            _link(known[number], value)
            for number, value in sorted(some.items(), key=lambda one: -one[1])[:MOST]
            if number in known and value > LEAST
        )
        for some in brought
    ]


def _link(document: Document, value: float) -> Reason:
    place = Source(document.id, document.title, document.path, 1, 1)
    return Reason("passage", "", document.title, "link", value, source=place)
