"""Explanations: the reasons for each part of a score, and one sentence per hit (S24)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ark_tui.domain.hits import Around
from ark_tui.domain.protocols import check
from ark_tui.domain.reasons import LEAST, MOST, Reason, Reasons, Source, Why
from ark_tui.embedding import static
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import terms as words_terms
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import snippet
from ark_tui.retrieval.shown import Shown
from ark_tui.retrieval.state import Candidates

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.domain.hits import Hit, Part, SearchResult
    from ark_tui.domain.reasons import Where
    from ark_tui.index.words.reader import Words
    from ark_tui.retrieval.state import Column, Scored, Search
    from ark_tui.store.found import Found

EQUAL = 1e-9  # tolerance for equal contributions
SAME = "the same for all hits"
ABSENT = "not found by this signal"
CHANCE = "not above chance"
CLOSE = 0.3  # minimum cosine of two words reported as similar
CLAUSES = 2  # maximum per sentence


def explained(search: Search, scored: Scored, result: SearchResult) -> SearchResult:
    """The result with reasons for each part of each hit, and a sentence for each hit."""
    hits, listed = (*result.hits, *result.below), len(result.hits)
    places = _places(search, scored.candidates, hits)
    reasons = {column.name: _reasons(search, scored.candidates, column, places) for column in scored.columns}
    level = _level(result.hits)
    made = []
    for hit in hits:
        parts = tuple(_part(part, scored.columns, reasons, level, hit.chunk.id) for part in hit.parts)
        made.append(replace(hit, parts=parts, why=sentence(parts)))
    return replace(result, hits=tuple(made[:listed]), below=tuple(made[listed:]))


def sentence(parts: Sequence[Part]) -> Why:
    """Why a hit is listed: the best reasons of the parts with the highest contributions."""
    clauses: dict[str, None] = {}
    known: set[tuple[str, str]] = set()
    for part in sorted(parts, key=lambda part: -part.contribution):
        for reason in part.reasons[:1] if part.contribution > EQUAL else ():
            about = reason.found.casefold(), reason.where
            if about not in known:
                clauses[reason.told] = None
                known.add(about)
    if not clauses:
        best = max(parts, key=lambda part: part.contribution, default=None)
        if best is None or best.contribution <= EQUAL:
            return Why("The filters match it.")
        return Why(f"Its {best.name} is {best.raw:.2f}.")
    text = ", and ".join([*clauses][:CLAUSES])
    return Why(f"{text[:1].upper()}{text[1:]}.")


def _places(search: Search, candidates: Candidates, hits: Sequence[Hit]) -> dict[int, Found]:
    """The display data of hits, by position among the candidates, ascending."""
    wanted = {hit.chunk.id for hit in hits}
    found = {number: one for number, one in search.found.items() if one.chunk.id in wanted}
    numbers = candidates.chunks.tolist()
    return {place: found[number] for place, number in enumerate(numbers) if number in found}


def _reasons(
    search: Search, candidates: Candidates, column: Column, places: Mapping[int, Found]
) -> dict[str, Reasons]:
    """The reasons for a signal's values in the hits that it found, by chunk id."""
    check(search.stop)
    signal = column.signal
    there = [place for place in places if column.rank(place)]
    if signal.reasons is None or not there:
        return {}
    asked = Candidates(candidates.chunks[there], candidates.documents[there])
    found = [places[place] for place in there]
    reasons = signal.reasons(search.as_of(signal.stage), asked, found)
    return {one.chunk.id: some for one, some in zip(found, reasons, strict=True)}


def _level(hits: Sequence[Hit]) -> set[str]:
    """The signals that contribute the same to all hits."""
    given: dict[str, list[float]] = {}
    for hit in hits:
        for part in hit.parts:
            given.setdefault(part.name, []).append(part.contribution)
    return {name for name, some in given.items() if len(some) > 1 and max(some) - min(some) < EQUAL}


def _part(
    part: Part,
    columns: Sequence[Column],
    reasons: Mapping[str, Mapping[str, Reasons]],
    level: set[str],
    chunk: str,
) -> Part:
    note = ""
    if part.name in level:
        note = SAME
    elif part.rank is None:
        note = ABSENT
    elif abs(part.contribution) < EQUAL:
        note = CHANCE if any(one.name == part.name and one.floor is not None for one in columns) else ""
    return replace(part, reasons=reasons[part.name].get(chunk, ()), note=note)


# -- words -----------------------------------------------------------------------------------------


def words(
    search: Search,
    terms: Terms,
    boosts: Mapping[str, float],
    candidates: Candidates,
    found: Sequence[Found],
    by: str = "",
) -> list[Reasons]:
    """For each candidate, its words of a BM25 query by score contribution, descending.

    `by`: the source of words that are not in the query.
    """
    index = search.corpus.words
    asked = [
        (word, one, index.score(Bm25(one, boosts), candidates.chunks).tolist())
        for word, one in _singly(search, terms)
    ]
    return [
        tuple(
            _word(index, word, one, values[place], hit, "" if word in search.terms.words else by)
            for word, one, values in sorted(asked, key=lambda row: -row[2][place])[:MOST]
            if values[place] > LEAST
        )
        for place, hit in enumerate(found)
    ]


def _singly(search: Search, terms: Terms) -> Iterator[tuple[str, Terms]]:
    """Each word, name, phrase and pair of characters as terms of its own."""
    for one in terms.singly():
        yield one.words[0], one
    for name in terms.identifiers:
        if name not in terms.words:
            yield name, Terms(identifiers=(name,))
    for pair in terms.spaceless:
        yield pair, Terms(spaceless=(pair,))
    written = {tuple(words_terms.words(one)): one for one in search.query.phrases}
    for phrase in terms.phrases:
        yield written.get(phrase, " ".join(phrase)), Terms(phrases=(phrase,))
    if terms.prefix:
        yield f"{terms.prefix}…", Terms(prefix=terms.prefix)


def _word(index: Words, word: str, one: Terms, value: float, hit: Found, by: str) -> Reason:
    spans = _spans(hit.text, one, hit.language)
    places = _around(hit, one)
    where: Where = next((place for place, _ in places), "text" if spans else "name")
    written = hit.text[slice(*spans[0])] if spans else word
    passages = index.document_frequency(one.stems[0], word) if one.stems else 0
    of = index.size() if passages else 0
    return Reason("word", word, written, where, value, tuple(spans), passages, of, by=by)


def _spans(text: str, terms: Terms, language: str) -> list[tuple[int, int]]:
    """Character ranges of matches in a text; for a phrase, the ranges of the whole phrase."""
    if not terms.phrases:
        return snippet.matches(text, terms, language)
    phrase = tuple(words_terms.stem(word, language) for word in terms.phrases[0])
    spans = [match.span() for match in re.finditer(r"\w+", text)]
    stems = [words_terms.stem(text[a:b].lower(), language) for a, b in spans]
    size = len(phrase)
    starts = [at for at in range(len(stems) - size + 1) if tuple(stems[at : at + size]) == phrase]
    return [(spans[at][0], spans[at + size - 1][1]) for at in starts]


def _around(hit: Found, terms: Terms) -> list[tuple[Literal["title", "alias", "heading"], str]]:
    """The title, aliases and heading that contain one of the words."""
    wanted = terms.stems_in(hit.language)
    places: tuple[tuple[Literal["title", "alias", "heading"], str], ...] = (
        ("title", hit.document.title), ("alias", hit.aliases), ("heading", hit.chunk.heading),
    )  # fmt: skip
    return [(where, text) for where, text in places if words_terms.had(text, wanted, hit.language)]


def outside(hit: Found, terms: Terms) -> Iterator[Around]:
    """The title, aliases, heading or preceding text that match words which the text itself lacks."""
    wanted = terms.stems_in(hit.language)
    places = (*_around(hit, terms), *((("before", hit.before),) if hit.before else ()))
    known = words_terms.had(hit.text, wanted, hit.language) if places else set()
    for where, text in places:
        if new := words_terms.had(text, wanted, hit.language) - known:
            yield Around(where, text)
            known = known | new


# -- meaning ---------------------------------------------------------------------------------------


def close_words(
    search: Search, candidates: Candidates, found: Sequence[Found], more: Sequence[str] = ()
) -> list[Reasons]:
    """The words of each text most similar to a query word, by cosine of static model vectors.

    `more`: further words of the search.
    """
    import numpy as np

    del candidates
    asked = [*_telling(search.query.text), *more]
    if not asked:
        return [()] * len(found)
    vectors = static.pool(static.tokens(asked))
    reasons: list[Reasons] = []
    for hit in found:
        there = list(_telling(hit.text))
        if not there:
            reasons.append(())
            continue
        close = static.pool(static.tokens(there)) @ vectors.T
        nearest, value = close.argmax(axis=1), close.max(axis=1)
        best = [at for at in np.argsort(-value, kind="stable").tolist() if value[at] >= CLOSE][:MOST]
        reasons.append(tuple(_pair(hit, there[at], asked[nearest[at]], float(value[at])) for at in best))
    return reasons


def _telling(text: str) -> dict[str, None]:
    """The distinct words of a text without stop words."""
    return dict.fromkeys(word for word in words_terms.words(text) if word not in words_terms.STOP_WORDS)


def _pair(hit: Found, word: str, asked: str, closeness: float) -> Reason:
    spans = [match.span() for match in re.finditer(rf"\b{re.escape(word)}\b", hit.text, re.IGNORECASE)]
    written = hit.text[slice(*spans[0])] if spans else word
    where: Where = "text"
    return Reason("pair", asked, written, where, closeness, tuple(spans), closeness=round(closeness, 4))


# -- other texts -----------------------------------------------------------------------------------


def passages(search: Search, chunks: Sequence[int]) -> dict[int, Found]:
    """The display data of chunks, by number; missing chunks are skipped."""
    with Shown(search) as store:
        return store.found(list(dict.fromkeys(chunks)))


def passage(search: Search, hit: Found, where: Where, value: float) -> Reason:
    """The reason for a value that another passage contributes, with the rarest query word in that passage."""
    here = {words_terms.stem(one, hit.language) for one in words_terms.words(hit.text)}
    index, word = search.corpus.words, ""
    if "words" not in search.problems:
        rarity = {
            written: index.idf(stem, written)
            for stem, written in zip(search.terms.stems, search.terms.words, strict=True)
            if words_terms.stem(written, hit.language) in here
        }
        word = max(rarity, key=rarity.__getitem__, default="")
    lines = hit.chunk.start_line, hit.chunk.end_line
    source = Source(hit.document.id, hit.document.title, hit.document.path, *lines)
    return Reason("passage", word, hit.document.title, where, value, source=source)


def linked(search: Search, brought: Sequence[Mapping[int, float]]) -> list[Reasons]:
    """The reasons for values contributed by linked documents.

    `brought`: for each text, the contributed values by document number.
    """
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
