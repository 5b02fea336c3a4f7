"""Suggestions for words, tags, types, collections, fields and values that are not in the corpus."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Suggestion
from ark_tui.domain.query import Either, Field, Filters, Has
from ark_tui.index.filters import condition, conjuncts
from ark_tui.retrieval.query import EXAMPLES, META
from ark_tui.store import fields, overview

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ark_tui.domain.query import Kind
    from ark_tui.retrieval.state import Corpus, Search

KEYS: dict[Kind, str] = {"tag": "tag", "type": "type", "collection": "in"}
"""Condition kinds whose values come from documents, and their keys in a query line."""

FIELD = re.compile(r"(?:^|(?<=\s))-?(?P<key>[^\W\d_][\w.-]*):(?!:)(?P<value>[^\s:/]\S*)")
NEAR, NEAR_FIELD = 0.7, 0.66  # minimum Ratcliff–Obershelp similarity of suggestions
MOST = 2  # suggested values
SHORTEST = 3  # letters of a word for which another is suggested


def suggestions(search: Search) -> tuple[Suggestion, ...]:
    """Suggestions for each word and filter of the query that matches no document."""
    words, terms = search.corpus.words, search.terms
    if "words" in search.problems or not words.size():
        return ()
    found = list(_names(search)) if ":" in search.query.raw or search.filters else []
    if search.request.mode == "semantic":
        return tuple(found)
    known = {part.casefold() for one in found for part in one.word.split(":")}
    for word in terms.words:
        if len(word) < SHORTEST or word.isdecimal() or word in known:  # similar numbers are no corrections
            continue
        if words.knows(word) or (word == terms.prefix and words.complete(word)):
            continue
        if instead := words.suggest(word):
            found.append(Suggestion(word, instead, searched=word in search.corrected))
    return tuple(found)


def _names(search: Search) -> Iterator[Suggestion]:
    """Unknown filter values and fields, each with similar known ones, if any."""
    for part in conjuncts(condition(search.query.filters)):
        for one in part.parts if isinstance(part, Either) else (part,):
            if isinstance(one, Has) and (key := KEYS.get(one.kind)):
                yield from _unknown(search.corpus, one, key)
            elif isinstance(one, Field):
                yield from _unlisted(search.corpus, one)
    yield from _fields(search.corpus, search.query.raw)


def _fields(corpus: Corpus, text: str) -> Iterator[Suggestion]:
    """Suggest fields for unknown `key:value` words.

    Without a similar field, a key that is a word of the corpus is treated as text: `std:sort`.
    """
    for field in FIELD.finditer(text):
        key, value = field["key"].casefold(), field["value"]
        if key in EXAMPLES or key.startswith(META):
            continue
        with corpus.store.read() as lease:
            known = fields.keys(lease)
        if fields.fold(key) not in known:
            meant = _near(key, (*EXAMPLES, *known), NEAR_FIELD)
            if meant or not corpus.words.knows(key):
                yield Suggestion(f"{field['key']}:{value}", tuple(f"{one}:{value}" for one in meant[:1]))


def _unknown(corpus: Corpus, one: Has, key: str) -> Iterator[Suggestion]:
    """Suggest similar values for a value that matches no document."""
    if not corpus.words.listed(Filters(where=one, superseded=True), 1).count:
        with corpus.store.read() as lease:
            known = overview.values(lease, one.kind)
        yield Suggestion(
            f"{key}:{one.value}", tuple(f"{key}:{value}" for value in _near(one.value, known, NEAR))
        )


def _unlisted(corpus: Corpus, field: Field) -> Iterator[Suggestion]:
    """Suggest similar keys or values for a field condition that matches no document."""
    with corpus.store.read() as lease:
        if fields.documents(lease, field):
            return
        if field.sign == "has":
            meant = _near(field.key, fields.keys(lease), NEAR_FIELD)
            yield Suggestion(f"has:{field.key}", tuple(f"has:{key}" for key in meant))
            return
        known = {value.casefold(): value for value in fields.values(lease, field.key)}
    near = [known[value] for value in _near(field.value, known, NEAR)]
    sign = "" if field.sign == "=" else field.sign
    yield Suggestion(
        f"{field.key}:{sign}{field.value}",
        tuple(f'{field.key}:"{value}"' if " " in value else f"{field.key}:{value}" for value in near),
    )


def _near(word: str, known: Iterable[str], least: float) -> list[str]:
    return get_close_matches(word, [*known], MOST, least)
