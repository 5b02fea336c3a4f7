"""What a query line names and the corpus does not have: tags, types, collections, fields that are none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Suggestion
from ark_tui.domain.query import Either, Has
from ark_tui.index.filters import condition, conjuncts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ark_tui.domain.query import Kind
    from ark_tui.retrieval.state import Search

KEYS: dict[Kind, str] = {"tag": "tag", "type": "type", "collection": "in"}
"""Kinds of conditions whose values are what documents say, and how a query line writes them."""

FIELDS = (*KEYS.values(), "path", "tier", "layer", "before", "after")
FIELD = re.compile(r"(?:^|(?<=\s))-?(?P<key>[^\W\d_]+):(?!:)(?P<value>[^\s:/]\S*)")
NEAR, NEAR_FIELD = 0.7, 0.66  # Ratcliff and Obershelp's similarity of what may have been meant
MOST = 2  # values that may have been meant


def suggestions(search: Search) -> Iterator[Suggestion]:
    """Each with its nearest, if any; of fields only those that are nearly one, for `12:30` is text."""
    for part in conjuncts(condition(search.query.filters)):
        for one in part.parts if isinstance(part, Either) else (part,):
            if isinstance(one, Has) and (key := KEYS.get(one.kind)):
                words = search.corpus.words
                if one.value not in words.values(one.kind, one.value):
                    meant = _near(one.value, words.values(one.kind), NEAR)
                    yield Suggestion(f"{key}:{one.value}", tuple(f"{key}:{value}" for value in meant))
    for field in FIELD.finditer(search.query.raw):
        key, value = field["key"].casefold(), field["value"]
        if key not in FIELDS and (meant := _near(key, FIELDS, NEAR_FIELD)):
            yield Suggestion(f"{field['key']}:{value}", (f"{meant[0]}:{value}",))


def _near(word: str, known: Iterable[str], least: float) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, [*known], MOST, least)
