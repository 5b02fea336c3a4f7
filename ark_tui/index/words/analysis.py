"""Text analysis: conversion of text to terms, for documents and queries."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import tantivy

VERSION = "14"  # part of the follower's mark: a change of the fields or the analysis rebuilds the index
REMEMBERED = 100_000  # maximum words with cached identifiers
LONGEST = 100  # characters of a term; longer ones are dropped

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Tantivy's stemmers for languages besides English, by ISO 639-1 code."""

STOPPED = frozenset(STEMMERS) - {"ar", "el", "ro", "ta", "tr"}
"""The languages for which tantivy has a list of function words."""

COMPOUNDING = frozenset({"de"})
"""The languages with compound search. For Swedish it worsened results in tests."""

STEMMED = "ark_stem"
PLAIN = "ark_plain"
SPACED = "ark_spaced"

# Identifiers in source code: with an inner capital, an underscore, a digit next to a letter or a dot, or a
# suffix as in C++ and C#. Words of plain prose do not match.
IDENTIFIER = re.compile(
    r"[A-Za-z][A-Za-z0-9]*(?:\+\+|#)"
    r"|[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+"
    r"|v?\d+(?:\.\d+)+(?:[-_]?[A-Za-z]+\d*)?"
    r"|[A-Za-z]\w*_\w+|_\w+"
    r"|[A-Za-z]+[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*"
    r"|[A-Za-z]+\d\w*"
)
# A part of every identifier: a prefilter at a tenth of the cost.
_SIGN = re.compile(r"[\d_]|[a-z][A-Z]|[A-Z]{2}[a-z]|\+\+|#|[\w$](?:\.|::|->)[A-Za-z_$]")
RUN = re.compile(r"[\w$.:>+#-]+")  # the characters of identifiers
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SPACELESS = re.compile(
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f"
    "\u0e00-\u0e7f]+"
)  # kana, Han, Hangul, Thai

HAN = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))  # Han blocks with simplified forms


@cache
def stemmer() -> tantivy.TextAnalyzer:
    """Words, lowercased, without accents, stemmed like tantivy's `en_stem`."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


@cache
def foreign(language: str) -> tantivy.TextAnalyzer:
    """Words of a language other than English, lowercased and stemmed by its stemmer."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST))
        .filter(Filter.lowercase())
        .filter(Filter.stemmer(STEMMERS[language]))
        .build()
    )


@cache
def telling(language: str) -> tantivy.TextAnalyzer:
    """Words, lowercased, without the function words of a language."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    simple = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase())
    known = {"en": "english", **{code: STEMMERS[code] for code in STOPPED}}
    return (simple.filter(Filter.stopword(known[language])) if language in known else simple).build()


def function_words(words: Iterable[str], language: str) -> set[str]:
    """The function words of a language among lowercased words."""
    distinct = set(words)
    return distinct.difference(telling(language).analyze(" ".join(distinct)))


def read_in(text: str, language: str) -> str:
    """Prepare a text for fields with English stemming: in other languages, replace words by their stems.

    So each word is one term at its position, whatever its stemmer, and English words in texts of another
    language are found as usual.
    """
    return " ".join(foreign(language).analyze(text)) if language in STEMMERS else text


@cache
def plain() -> tantivy.TextAnalyzer:
    """Words, lowercased but not stemmed."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST))
        .filter(Filter.lowercase())
        .build()
    )


@cache
def spaced() -> tantivy.TextAnalyzer:
    """Precomputed terms, separated by spaces."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.remove_long(LONGEST)).build()


def register(index: tantivy.Index) -> None:
    """Register the analyzers with an index; required after every opening, in every process."""
    index.register_tokenizer(STEMMED, stemmer())
    index.register_tokenizer(PLAIN, plain())
    index.register_tokenizer(SPACED, spaced())


SUPERSEDED, GONE = "superseded", "gone"
"""Values of the field `hidden`. The text of a chunk that is gone may still be indexed."""


@cache
def schema() -> tantivy.Schema:
    """The fields of texts and facts. Delete by `id`: deleting by a numeric field silently does nothing.

    Queries refer to fields by position, so add new fields at the end; otherwise older indexes are misread.
    """
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("chunk", fast=True)
    builder.add_unsigned_field("document", fast=True)
    builder.add_text_field("owner", tokenizer_name="raw", index_option="basic")  # the document, as text
    for name in ("collection", "tier", "layer", "type", "tag", "path", "source", "hidden"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("day", indexed=True, fast=True)  # of a document with a date
    builder.add_integer_field("since", indexed=True, fast=True)  # of a memory: when it entered its layer
    for name in ("title", "heading", "body"):
        builder.add_text_field(name, tokenizer_name=STEMMED, index_option="position")
    builder.add_text_field("exact", tokenizer_name=PLAIN, index_option="basic")
    builder.add_text_field("names", tokenizer_name=SPACED, index_option="freq")
    builder.add_text_field("spaceless", tokenizer_name=SPACED, index_option="freq")
    builder.add_text_field("times", tokenizer_name=SPACED, index_option="basic")
    builder.add_bytes_field("card", stored=True)  # display data, see `cards`
    builder.add_text_field("before", tokenizer_name=STEMMED, index_option="freq")  # see `store.before`
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")  # unless it is English
    builder.add_unsigned_field("print", fast=True)  # the fingerprint of a text, see `follower`
    return builder.build()


def identifiers(text: str) -> list[str]:
    """Identifiers in a text, lowercased: `HttpClient` → httpclient, http, client."""
    return [name for word in _mixed(text) for name in _with_parts(word)]


def names(text: str) -> list[str]:
    """Identifiers in a text, as written."""
    return [name for word in _mixed(text) for name in _names_in(word)]


def _mixed(text: str) -> Iterator[str]:
    """The words that may contain identifiers; lowercase and title-case words do not."""
    return (word for word in text.split() if not (word.isalpha() and (word.islower() or word.istitle())))


@lru_cache(maxsize=REMEMBERED)
def _names_in(word: str) -> tuple[str, ...]:
    """The identifiers in a word.

    An overlong word (minified code, a line of letters only) is searched in pieces. Overlong pieces are
    skipped, since the pattern takes quadratic time.
    """
    if not _SIGN.search(word):
        return ()
    pieces = [word] if len(word) <= LONGEST else RUN.findall(word)
    return tuple(
        match.group() for piece in pieces if len(piece) <= LONGEST for match in IDENTIFIER.finditer(piece)
    )


def joined(name: str) -> str:
    """The common form of all spellings of an identifier, without separators: `maxretrycount`.

    Empty for a single word, and for a dotted identifier such as a version.
    """
    one = re.sub(r"[_$]", "", name).lower()
    return one if one.isalpha() and "." not in name and len(PARTS.findall(name)) > 1 else ""


@lru_cache(maxsize=REMEMBERED)
def _with_parts(word: str) -> tuple[str, ...]:
    found: list[str] = []
    for whole in _names_in(word):
        found.append(whole.lower())
        parts = PARTS.findall(whole)
        if len(parts) > 1:
            found += [part.lower() for part in parts]
            if one := joined(whole):
                found.append(one)
            bare = re.split(r"\.|::|->", whole)
            found += [name.lower() for name in bare if len(bare) > 1]
    return tuple(found)


def simplified(text: str) -> str:
    """Replace traditional Chinese characters by simplified ones; the length stays the same."""
    return text.translate(_simplified()) if SPACELESS.search(text) else text


@cache
def _simplified() -> dict[int, str]:
    """OpenCC's simplified form of each single character, by code point."""
    from opencc import OpenCC

    characters = [chr(code) for block in HAN for code in range(*block)]
    written = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {ord(one): simple for one, simple in zip(characters, written, strict=True) if one != simple}


def bigrams(text: str) -> list[str]:
    """Single characters and overlapping bigrams of text without spaces, in simplified form."""
    found: list[str] = []
    for run in [] if text.isascii() else SPACELESS.findall(simplified(text)):
        found += run
        found += [run[i : i + 2] for i in range(len(run) - 1)]
    return found
