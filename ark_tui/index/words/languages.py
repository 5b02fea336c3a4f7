"""In which language a text is written, as far as there is a stemmer for it.

English is `""`: it is what everything is read as, unless a text shows that it is something else. A text is
asked for the commonest words of English first, which costs next to nothing; only one without them that has
the function words or the script of another language is given to py3langid (Lui and Baldwin 2012: naive Bayes
over n-grams of bytes), whose model takes 0.4 s to load.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ark_tui.index.words import analysis

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE = 2_000  # characters that are looked at
FEWEST = 5  # words that can be told by
_ENGLISH = "the and of that with this for from by which to be it not have can when than"
ENGLISH = frozenset(_ENGLISH.split())
COMMON = 0.06  # least share of those in English prose
TELLING = 0.1  # least share of a language's own function words in its prose; it is 0.3 or more in most
MARKED = 0.02  # least share of letters beyond ASCII, where there is no list of function words
SCRIPT = 0.5  # least share of those in a script of its own

_WORD = re.compile(r"[^\W\d_]+")
_NAMES = {name: code for code, name in analysis.STEMMERS.items()}


def written_in(text: str, stated: str = "") -> str:
    """The ISO 639-1 code of a text's language; "" for English, and where nothing tells another.

    `stated`: what its author says (`de`, `de-AT`, `German`), which wins where it is known.
    """
    if stated:
        said = stated.strip().casefold()
        code = _NAMES.get(said, re.split(r"[-_]", said)[0])
        if code == "en" or code in analysis.STEMMERS:
            return "" if code == "en" else code
    sample = text[:SAMPLE].lower()
    if sum(map(ENGLISH.__contains__, sample.split())) >= COMMON * (len(sample) // 2 + 1):
        return ""  # there cannot be so many words that these are too few
    words = _WORD.findall(sample)
    if len(words) < FEWEST or sum(map(ENGLISH.__contains__, words)) >= COMMON * len(words):
        return ""
    possible = [code for code in analysis.STEMMERS if _agrees(code, words)]
    code = str(_identifier().classify(" ".join(words))[0]) if possible else ""
    return code if code in possible else ""


def _agrees(code: str, words: list[str]) -> bool:
    """Whether a text without English words is prose of a language, and not names, numbers or data."""
    letters = "".join(words)
    marked = sum(not letter.isascii() for letter in letters) / len(letters)
    if code not in analysis.STOPPED or marked >= SCRIPT:
        return marked >= MARKED
    known = analysis.function_words(words, code)
    return sum(map(known.__contains__, words)) >= TELLING * len(words)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE)
    found.set_languages(["en", *analysis.STEMMERS])
    return found
