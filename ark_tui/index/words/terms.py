"""Conversion of a query to terms of the word index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from ark_tui.domain.unicode import normal
from ark_tui.index.words import analysis

# English function words. They are dropped from the BM25 query (never from documents) unless nothing else is
# left; this gains 2.5 points of nDCG@10 (design §6).
FUNCTION_WORDS = """
a about above after again against all also am an and any are as at be because been before being
below between both but by can cannot could did do does doing down during each few for from
further get had has have having he her here hers herself him himself his how i if in into is it
its itself just may me might more most much must my myself no nor not now of off on once only or
other our ours ourselves out over own same shall she should so some such than that the their
theirs them themselves then there these they this those through to too under until up upon us
very was we were what when where which while who whom whose why will with within without would
you your yours yourself yourselves
"""
STOP_WORDS = frozenset(FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a query for the word index. `stems` and `words` are parallel."""

    stems: tuple[str, ...] = ()  # English stems; `stem` gives those of other languages
    words: tuple[str, ...] = ()  # as written, lowercased
    pairs: tuple[tuple[str, str], ...] = ()  # words adjacent in the query
    identifiers: tuple[str, ...] = ()
    spaceless: tuple[str, ...] = ()
    compounds: tuple[tuple[str, tuple[str, ...]], ...] = ()  # words with their compounds
    prefix: str = ""  # the last word, if it may be unfinished
    phrases: tuple[tuple[str, ...], ...] = ()  # as written, lowercased

    def __bool__(self) -> bool:
        return bool(self.stems or self.identifiers or self.spaceless or self.prefix or self.phrases)

    def singly(self) -> Iterator[Terms]:
        """Each word as terms of its own."""
        for stem_, word in zip(self.stems, self.words, strict=True):
            made = tuple(pair for pair in self.compounds if pair[0] == word)
            yield Terms((stem_,), (word,), compounds=made)

    def stems_in(self, language: str) -> set[str]:
        """The stems of all words in a language, including those of phrases and compounds."""
        if not language:
            return {*self.stems, *(stem(word) for phrase in self.phrases for word in phrase)}
        words = chain(self.words, *(made for _, made in self.compounds), *self.phrases)
        return {stem(word, language) for word in words}


def read(
    text: str,
    *,
    phrases: tuple[str, ...] = (),
    typing: bool = False,
    keep_stop_words: bool = False,
    languages: Sequence[str] = (),
) -> Terms:
    """The terms of a query.

    `typing`: the last word, if no space follows, is also a prefix. `languages`: possible languages besides
    English; function words are dropped of the language with the most of them in the query.
    """
    text = normal(text)
    latin = analysis.SPACELESS.sub(" ", text)
    found = words(latin)
    function = frozenset() if keep_stop_words else function_words(found, languages)
    meant = [word for word in found if word not in function] or found
    unique = dict.fromkeys(meant)
    pairs = [(stem(a), stem(b)) for a, b in pairwise(found) if a in unique and b in unique]
    by_stem = {stem(word): word for word in reversed(unique)}
    stems = tuple(dict.fromkeys(stem(word) for word in unique))
    unfinished = found[-1] if typing and found and text[-1:].isalnum() and latin[-1:].isalnum() else ""
    return Terms(
        stems=stems,
        words=tuple(by_stem[one] for one in stems),
        pairs=tuple((by_stem[a], by_stem[b]) for a, b in dict.fromkeys(pairs) if a != b),
        identifiers=_identifiers(latin),
        spaceless=tuple(dict.fromkeys(spaceless(text))),
        prefix=unfinished,
        phrases=tuple(tuple(words(phrase)) for phrase in phrases if words(phrase)),
    )


def _identifiers(text: str) -> tuple[str, ...]:
    """The identifiers of a text, lowercased, and the common form of all spellings of each."""
    found = analysis.names(text)
    forms = [form for name in found for form in (name.lower(), analysis.joined(name)) if form]
    return tuple(dict.fromkeys(forms))


def words(text: str) -> list[str]:
    """The words of a text as written, lowercased."""
    found: list[str] = analysis.plain().analyze(normal(text))
    return found


def stem(word: str, language: str = "") -> str:
    """The stem of a word in a language; the word itself if it has none."""
    return _stem(word, language)  # with a default argument, a word would be cached twice


@lru_cache(maxsize=1 << 15)
def _stem(word: str, language: str) -> str:
    stems = analysis.stemmer().analyze(analysis.read_in(word, language))
    return str(stems[0]) if stems else word


@lru_cache(maxsize=1 << 17)
def stems(word: str, language: str = "") -> frozenset[str]:
    """The stems of a word as written in a text of a language; `snake_case` has those of all its parts."""
    return frozenset(analysis.stemmer().analyze(analysis.read_in(word, language)))


def had(text: str, wanted: AbstractSet[str], language: str = "") -> set[str]:
    """Those of the stems that occur in a text of a language."""
    return {stem(word, language) for word in set(words(text))}.intersection(wanted)


def function_words(found: Sequence[str], languages: Sequence[str]) -> AbstractSet[str]:
    """The function words among the words, of the language with the most of them; ties prefer English."""
    some = [{word for word in found if word in STOP_WORDS}]
    some += [analysis.function_words(found, language) for language in languages]
    return max(some, key=len)


def spaceless(text: str) -> list[str]:
    """Character bigrams of text without spaces, in simplified Chinese; a single character if it is alone."""
    found: list[str] = []
    for match in analysis.SPACELESS.finditer(analysis.simplified(normal(text))):
        run = match.group()
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return found
