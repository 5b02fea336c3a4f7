"""How text becomes terms, the same for documents and for queries."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import tantivy

VERSION = "14"  # part of the follower's mark: a change of the fields or the analysis rebuilds the index
REMEMBERED = 100_000  # words whose identifiers are
LONGEST = 100  # characters of a term; what is longer is no word

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""The languages besides English that tantivy has a stemmer for, by their code (ISO 639-1)."""

STOPPED = frozenset(STEMMERS) - {"ar", "el", "ro", "ta", "tr"}
"""Those whose function words it knows."""

COMPOUNDING = frozenset({"de"})
"""Those whose compounds are looked for. For Swedish, which was tried, too, that loses more than it gains."""

STEMMED = "ark_stem"
PLAIN = "ark_plain"
SPACED = "ark_spaced"

# A name a programmer would search for: it has a capital inside, an underscore, a digit beside a letter or
# a dot, or ends in signs (C++, C#). Words of plain prose do not match.
IDENTIFIER = re.compile(
    r"[A-Za-z][A-Za-z0-9]*(?:\+\+|#)"
    r"|[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+"
    r"|v?\d+(?:\.\d+)+(?:[-_]?[A-Za-z]+\d*)?"
    r"|[A-Za-z]\w*_\w+|_\w+"
    r"|[A-Za-z]+[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*"
    r"|[A-Za-z]+\d\w*"
)
# What every identifier has in it: a word without is none, which is known at a tenth of the cost.
_SIGN = re.compile(r"[\d_]|[a-z][A-Z]|[A-Z]{2}[a-z]|\+\+|#|[\w$](?:\.|::|->)[A-Za-z_$]")
RUN = re.compile(r"[\w$.:>+#-]+")  # all that an identifier is made of
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SPACELESS = re.compile(
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f"
    "\u0e00-\u0e7f]+"
)  # kana, Han, Hangul, Thai

HAN = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))  # the blocks of Han of which some are simplified


@cache
def stemmer() -> tantivy.TextAnalyzer:
    """Words, lowercased, without accents, stemmed as tantivy's `en_stem` does."""
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
    """Words of another language than English, lowercased and stemmed by its own stemmer."""
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
    """Those of some words, in lower case, that say nothing by themselves in a language."""
    distinct = set(words)
    return distinct.difference(telling(language).analyze(" ".join(distinct)))


def read_in(text: str, language: str) -> str:
    """A text as the fields that are stemmed as English take it: of another language, its stems in a row.

    So each word is one term in its place, whatever it was stemmed by, and a word of English in a text of
    another language is found as everywhere.
    """
    return " ".join(foreign(language).analyze(text)) if language in STEMMERS else text


@cache
def plain() -> tantivy.TextAnalyzer:
    """Words, lowercased and otherwise as they are written."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST))
        .filter(Filter.lowercase())
        .build()
    )


@cache
def spaced() -> tantivy.TextAnalyzer:
    """Terms that were made here and are joined by blanks."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.remove_long(LONGEST)).build()


def register(index: tantivy.Index) -> None:
    """Tell an index its analyzers; needed after every open, in every process."""
    index.register_tokenizer(STEMMED, stemmer())
    index.register_tokenizer(PLAIN, plain())
    index.register_tokenizer(SPACED, spaced())


SUPERSEDED, GONE = "superseded", "gone"
"""What stands in the field `hidden`. Of a chunk that is gone the text may still be there."""


@cache
def schema() -> tantivy.Schema:
    """The fields of texts and of facts. Deleting goes by `id`: by a number field it silently deletes nothing.

    A query names a field by its place: what is new comes last, else an earlier index is read amiss.
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
    builder.add_integer_field("since", indexed=True, fast=True)  # of a memory: when it came to its layer
    for name in ("title", "heading", "body"):
        builder.add_text_field(name, tokenizer_name=STEMMED, index_option="position")
    builder.add_text_field("exact", tokenizer_name=PLAIN, index_option="basic")
    builder.add_text_field("names", tokenizer_name=SPACED, index_option="freq")
    builder.add_text_field("spaceless", tokenizer_name=SPACED, index_option="freq")
    builder.add_text_field("times", tokenizer_name=SPACED, index_option="basic")
    builder.add_bytes_field("card", stored=True)  # what a hit shows, see `cards`
    builder.add_text_field("before", tokenizer_name=STEMMED, index_option="freq")  # see `store.before`
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")  # unless it is English
    builder.add_unsigned_field("print", fast=True)  # the fingerprint of a text, see `follower`
    return builder.build()


class _Remembered:
    """What each word has in it; most words have nothing and come again and again."""

    def __init__(self, find: Callable[[str], tuple[str, ...]]) -> None:
        self._find = find
        self._known: dict[str, tuple[str, ...]] = {}
        self._plain: set[str] = set()  # those that have nothing

    def of(self, text: str) -> list[str]:
        """What is in all words of a text, in order; words of letters in lower or title case have nothing."""
        known, plain = self._known, self._plain
        found: list[str] = []
        for word in [
            word
            for word in text.split()
            if not (word.isalpha() and (word.islower() or word.istitle())) and word not in plain
        ]:
            some = known.get(word)
            if some is None:
                some = self._find(word) if _SIGN.search(word) else ()
                if not some:
                    plain.add(word)
                    continue
                known[word] = some
            found += some
        if len(known) + len(plain) > REMEMBERED:
            self._known, self._plain = {}, set()
        return found


def identifiers(text: str) -> list[str]:
    """Identifiers in a text, lowercased: `HttpClient` → httpclient, http, client."""
    return _IDENTIFIERS.of(text)


def names(text: str) -> list[str]:
    """Identifiers in a text as they are written."""
    return _NAMES.of(text)


def _names_in(word: str) -> tuple[str, ...]:
    """Those in a word.

    One longer than any term (minified code, a line of nothing but letters) is looked through in pieces,
    the long ones of which are passed over: the pattern takes the square of their length.
    """
    pieces = [word] if len(word) <= LONGEST else RUN.findall(word)
    return tuple(
        match.group() for piece in pieces if len(piece) <= LONGEST for match in IDENTIFIER.finditer(piece)
    )


def joined(name: str) -> str:
    """An identifier without what joins its words, so that all spellings meet: `maxretrycount`.

    Empty for one that is joined already, and for one that is dotted, such as a version.
    """
    one = re.sub(r"[_$]", "", name).lower()
    return one if one.isalpha() and "." not in name and len(PARTS.findall(name)) > 1 else ""


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


_NAMES = _Remembered(_names_in)
_IDENTIFIERS = _Remembered(_with_parts)


def simplified(text: str) -> str:
    """A text with each traditional Chinese character as its simplified one; its length stays."""
    return text.translate(_simplified()) if SPACELESS.search(text) else text


@cache
def _simplified() -> dict[int, str]:
    """Characters by what OpenCC writes for each by itself."""
    from opencc import OpenCC

    characters = [chr(code) for block in HAN for code in range(*block)]
    written = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {ord(one): simple for one, simple in zip(characters, written, strict=True) if one != simple}


def bigrams(text: str) -> list[str]:
    """Single characters and overlapping pairs of text that is written without spaces, in simplified form."""
    found: list[str] = []
    for run in [] if text.isascii() else SPACELESS.findall(simplified(text)):
        found += run
        found += [run[i : i + 2] for i in range(len(run) - 1)]
    return found
