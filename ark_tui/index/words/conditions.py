"""Conditions as tantivy queries, which do not affect scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tantivy import FieldType, Occur, Query

from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import (
    Condition,
    Dated,
    Either,
    Every,
    Expired,
    Field,
    Filters,
    Found,
    Has,
    Holds,
    Listed,
    Not,
)
from ark_tui.domain.unicode import normal
from ark_tui.index import filters as trees
from ark_tui.index.filters import EARLIEST, LATEST, path_pattern, quoted
from ark_tui.index.words import analysis, terms
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    import tantivy

    Clause = tuple[tantivy.Occur, tantivy.Query]

SIGNS = ("+", "#")  # suffixes that distinguish C++ and C# from C


def texts(wanted: Filters, languages: Sequence[str] = ()) -> list[Clause]:
    """Clauses that require a chunk to contain one of the requested texts.

    `languages`: the languages of the corpus besides English.
    """
    if not wanted or not (shown := trees.shown(trees.condition(wanted))):
        return []
    found = [_text_of(one, languages) for part in shown for one in trees.texts(part)]
    return [(Occur.Must, Query.const_score_query(either(found), 0.0))]


def facts(wanted: Filters) -> tantivy.Query | None:
    """The query for chunks of documents that match the filters by facts; None: all.

    Every `Holds` must be resolved to `Found`.
    """
    if not wanted:
        return None
    tree = trees.condition(wanted)
    shown = trees.shown(tree)
    # a chunk with the only requested text implies that its document matches
    implied = shown if len(shown) == 1 else ()
    found = [query(part) for part in trees.conjuncts(tree) if part not in implied]
    return Query.const_score_query(_every(found), 0.0) if found else None


def expired(wanted: Expired) -> tantivy.Query:
    """The query for chunks of expired memories."""
    schema = analysis.schema()
    old = Query.range_query(schema, "since", FieldType.Integer, EARLIEST, wanted.before)
    return _every([Query.term_query(schema, "layer", wanted.layer), Query.const_score_query(old, 0.0)])


def text(wanted: str, languages: Sequence[str] = ()) -> tantivy.Query | None:
    """The query for chunks that contain these words as a phrase; None for a text without words.

    A single word also matches as a part of an identifier; a name such as `C++` matches only exactly.
    """
    schema = analysis.schema()
    wanted = normal(wanted)
    latin = analysis.SPACELESS.sub(" ", wanted)
    words = terms.words(latin)
    name = latin.strip().lower() if analysis.IDENTIFIER.fullmatch(latin.strip()) else ""
    parts = [Query.term_query(schema, "spaceless", pair) for pair in terms.spaceless(wanted)]
    if name.endswith(SIGNS):
        parts.append(Query.term_query(schema, "names", name))
    elif words:
        places = in_a_row(words, languages)
        names = {name, *(words if len(words) == 1 else ())} - {""}
        places += [Query.term_query(schema, "names", one) for one in sorted(names)]
        parts.append(either(places))
    return _every(parts) if parts else None


def in_a_row(words: Sequence[str], languages: Sequence[str]) -> list[tantivy.Query]:
    """Queries for chunks with these words, in any form, as a phrase in body, title or heading."""
    runs = {tuple(terms.stem(word, language) for word in words): language for language in (*languages, "")}
    return [
        of_language(field, stems, language)
        for stems, language in runs.items()
        for field in ("body", "title", "heading")
    ]


def of_language(field: str, stems: Sequence[str], language: str) -> tantivy.Query:
    """The query for chunks of a language, "" for any, with these stems as a phrase in a field.

    Stems of one language may be words of another: without the language condition, `higher`, whose German stem
    is `high`, would match every English text with `high`.
    """
    schema = analysis.schema()
    if len(stems) > 1:
        found = Query.phrase_query(schema, field, list[str | tuple[int, str]](stems))
    else:
        found = Query.term_query(schema, field, stems[0])
    if not language:
        return found
    written = Query.const_score_query(Query.term_query(schema, "language", language), 0.0)
    return Query.boolean_query([(Occur.Must, found), (Occur.Must, written)])


def query(part: Condition) -> tantivy.Query:
    """The query for chunks of documents that match a condition."""
    match part:
        case Every():
            return _every([query(one) for one in part.parts])
        case Either():
            return _either(part.parts)
        case Not():
            return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, query(part.part))])
        case Has():
            return _has(part)
        case Dated():
            return _dated(part)
        case Found() | Listed():
            owners = [str(number) for number in part.documents]
            return Query.term_set_query(analysis.schema(), "owner", owners)
        case Holds() | Field():
            raise TypeError(f"nobody has looked for {part}")


def _either(parts: Sequence[Condition]) -> tantivy.Query:
    sources = [one.value for one in parts if isinstance(one, Has) and one.kind == "source"]
    if sources and len(sources) == len(parts):  # there may be thousands of conversations
        return Query.term_set_query(analysis.schema(), "source", sources)
    return either([query(one) for one in parts])


def _has(part: Has) -> tantivy.Query:
    if part.kind == "path":
        return _regex("path", path_pattern(part.value), "Name a part of it: path:docs/")
    if part.kind == "tag":
        return _regex("tag", f"{quoted(part.value)}(/.*)?", "Name the tag above it, or a word of the text.")
    return Query.term_query(analysis.schema(), part.kind, part.value)


def _regex(field: str, pattern: str, hint: str) -> tantivy.Query:
    """Raises `UsageError` for a pattern of more than about 1,000 characters, tantivy's limit."""
    try:
        return Query.regex_query(analysis.schema(), field, pattern)
    except ValueError as error:
        raise UsageError(f"The {field} to look for is too long.", hint) from error


def _dated(part: Dated) -> tantivy.Query:
    first = (part.first - EPOCH_DAY).days if part.first else EARLIEST
    last = (part.last - EPOCH_DAY).days if part.last else LATEST
    if first > last:
        return Query.empty_query()
    return Query.range_query(analysis.schema(), "day", FieldType.Integer, first, last)


def _text_of(part: Condition, languages: Sequence[str]) -> tantivy.Query:
    assert isinstance(part, Found | Holds)
    return text(part.text, languages) or Query.empty_query()


def _every(parts: list[tantivy.Query]) -> tantivy.Query:
    if not parts:
        return Query.all_query()
    return parts[0] if len(parts) == 1 else Query.boolean_query([(Occur.Must, part) for part in parts])


def either(parts: list[tantivy.Query]) -> tantivy.Query:
    """The disjunction of queries; without any, it matches nothing."""
    if not parts:
        return Query.empty_query()
    return parts[0] if len(parts) == 1 else Query.boolean_query([(Occur.Should, part) for part in parts])
