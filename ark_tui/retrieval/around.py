"""By what a text was found that does not stand in it: title, headings, what stands before it (S24)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from ark_tui.domain.hits import Around
from ark_tui.index.words import forms

if TYPE_CHECKING:
    from ark_tui.index.words.terms import Terms
    from ark_tui.store.found import Found


def found(hit: Found, terms: Terms) -> Iterator[Around]:
    """What has words of the query that the text, and what was named before, has not."""
    places: tuple[tuple[Literal["title", "alias", "heading", "before"], str], ...] = (
        ("title", hit.document.title),
        ("alias", hit.aliases),
        ("heading", hit.chunk.heading),
        ("before", hit.before),
    )
    wanted = terms.stems_in(hit.language)
    around = [
        (where, text, here) for where, text in places if (here := forms.had(text, wanted, hit.language))
    ]
    known = forms.had(hit.text, wanted, hit.language) if around else set()
    for where, text, here in around:
        if here - known:
            yield Around(where, text)
            known |= here
