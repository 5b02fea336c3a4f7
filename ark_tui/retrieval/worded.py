"""Reasons in words: which of the words that a signal looks for a text has, where, and what each has earned.

BM25 is a sum over words and fields, so that what a word earned in a field is its score for that alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ark_tui.domain.reasons import LEAST, MOST, Reason, Reasons, Where
from ark_tui.index.protocols import Bm25, Coverage
from ark_tui.index.words import terms as words_terms
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import snippet

if TYPE_CHECKING:
    from ark_tui.index.protocols import Scores, WordIndex
    from ark_tui.retrieval.state import Candidates, Search
    from ark_tui.store.found import Found

FIELDS: tuple[tuple[Where, tuple[str, ...]], ...] = (
    ("title", ("title", "title_word")),
    ("heading", ("heading",)),
    ("before", ("before",)),
)
"""Fields beside the text, and the boosts that give them weight."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A word that is looked for, as terms of its own, in a field, and what it earned each candidate."""

    word: str
    terms: Terms
    where: Where
    values: Scores
    passages: int = 0


def earned(
    search: Search,
    terms: Terms,
    boosts: Mapping[str, float],
    candidates: Candidates,
    found: Sequence[Found],
    by: str = "",
) -> list[Reasons]:
    """What each word of a BM25 query earned each candidate; `by`: where those come from that are not said."""
    index = search.corpus.words
    asked = [*_stems(index, terms, boosts, candidates), *_others(search, terms, boosts, candidates)]
    reasons = [_told(index, asked, place, hit) for place, hit in enumerate(found)]
    own = {*search.terms.words, *search.terms.identifiers}
    return [tuple(one if one.asked in own else replace(one, by=by) for one in some) for some in reasons]


def covered(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """What each word of the query adds to the share of the query that a text covers."""
    index, terms = search.corpus.words, search.terms
    ones = [*terms.singly()]
    ones += [Terms(spaceless=(pair,)) for pair in terms.spaceless]
    rarity = [idf for idf, _ in index.rarities(terms)]
    asked = [
        _Asked(
            "".join((*one.words, *one.spaceless)), one, "text",
            index.score(Coverage(one), candidates.chunks) * idf / sum(rarity),
            sum(map(index.document_frequency, one.stems, one.words)),
        )
        for one, idf in zip(ones, rarity, strict=True)
    ]  # fmt: skip
    return [_told(index, asked, place, hit) for place, hit in enumerate(found)]


def has(text: str, word: str, language: str = "") -> bool:
    """Whether a text of a language has a form of a word."""
    stem = words_terms.stem(word, language)
    return stem in {words_terms.stem(other, language) for other in words_terms.words(text)}


def _stems(
    index: WordIndex, terms: Terms, boosts: Mapping[str, float], candidates: Candidates
) -> Iterator[_Asked]:
    for one in terms.singly():
        (stem,), (word,) = one.stems, one.words
        passages = index.document_frequency(stem, word)
        own = index.score(Bm25(one), candidates.chunks)
        yield _Asked(word, one, "text", own, passages)
        for where, names in FIELDS:
            if some := {name: boosts[name] for name in names if boosts.get(name)}:
                more = index.score(Bm25(one, some), candidates.chunks)
                yield _Asked(word, one, where, more - own, passages)


def _others(
    search: Search, terms: Terms, boosts: Mapping[str, float], candidates: Candidates
) -> Iterator[_Asked]:
    """Names, text without spaces, words side by side, phrases, and the word that is not finished."""
    index, chunks = search.corpus.words, candidates.chunks
    if share := boosts.get("identifier"):
        for name in dict.fromkeys((*terms.identifiers, *terms.words)):
            one = Terms(identifiers=(name,))
            yield _Asked(name, one, "name", index.score(Bm25(one, {"identifier": share}), chunks))
    for pair in terms.spaceless:
        one = Terms(spaceless=(pair,))
        yield _Asked(pair, one, "text", index.score(Bm25(one), chunks))
    if share := boosts.get("bigram"):
        for couple in terms.pairs:
            single = Terms((words_terms.stem(couple[0]),), couple[:1])
            one = replace(single, pairs=(couple,))
            more = index.score(Bm25(one, {"bigram": share}), chunks) - index.score(Bm25(single), chunks)
            yield _Asked(" ".join(couple), Terms(phrases=(couple,)), "text", more)
    for phrase in terms.phrases:
        one = Terms(phrases=(phrase,))
        yield _Asked(_written(search, phrase), one, "text", index.score(Bm25(one), chunks))
    if terms.prefix:
        finished = Terms(terms.stems, terms.words)
        one = replace(finished, prefix=terms.prefix)
        more = index.score(Bm25(one), chunks) - index.score(Bm25(finished), chunks)
        yield _Asked(f"{terms.prefix}…", Terms(prefix=terms.prefix), "text", more)


def _written(search: Search, phrase: tuple[str, ...]) -> str:
    """A phrase as the query has it."""
    written = {tuple(words_terms.words(one)): one for one in search.query.phrases}
    return written.get(phrase, " ".join(phrase))


def _told(index: WordIndex, asked: Sequence[_Asked], place: int, hit: Found) -> Reasons:
    """What of all that was asked for a hit has, that which earned most first."""
    some = [one for one in asked if one.values[place] > LEAST]
    some.sort(key=lambda one: -one.values[place])
    return tuple(_reason(index, one, float(one.values[place]), hit) for one in some[:MOST])


def _reason(index: WordIndex, one: _Asked, value: float, hit: Found) -> Reason:
    spans = _spans(hit.text, one.terms, hit.language)
    where = _place(one, hit) if one.where != "text" or not spans else one.where
    if where != "text":
        spans = spans if where == "name" else []
    found = hit.text[slice(*spans[0])] if spans else one.word
    of = index.size() if one.passages else 0
    return Reason("word", one.word, found, where, value, tuple(spans), one.passages, of)


def _place(one: _Asked, hit: Found) -> Where:
    """Where a word stands that the text itself has not, or that was found in another field."""
    words = one.terms.words
    if not words:
        return one.where
    places: tuple[tuple[Where, str], ...] = (
        ("title", hit.document.title), ("alias", hit.aliases), ("heading", hit.chunk.heading),
        ("before", hit.before),
    )  # fmt: skip
    likely = [where for where, text in places if has(text, words[0], hit.language)]
    fits = [where for where in likely if where == one.where or (one.where, where) == ("title", "alias")]
    return (
        fits or (likely if one.where == "text" else []) or [one.where if one.where != "text" else "name"]
    )[0]


def _spans(text: str, terms: Terms, language: str) -> list[tuple[int, int]]:
    """Where a text has what is looked for; of words in a row, the whole run."""
    if not terms.phrases:
        return snippet.matches(text, terms, language)
    phrase = tuple(words_terms.stem(word, language) for word in terms.phrases[0])
    words = [match.span() for match in re.finditer(r"\w+", text)]
    stems = [words_terms.stem(text[a:b].lower(), language) for a, b in words]
    size = len(phrase)
    starts = [at for at in range(len(stems) - size + 1) if tuple(stems[at : at + size]) == phrase]
    return [(words[at][0], words[at + size - 1][1]) for at in starts]
