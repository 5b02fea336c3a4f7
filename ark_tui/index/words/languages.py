"""In which language a text is written, as far as there is a stemmer for it.

English is `""`: it is what everything is read as, unless a text shows that it is something else. A text is
asked for the commonest words of English first, which costs next to nothing. A script of its own tells a
language. Only what has more function words of another language than of English, or the letters of one, is
given to py3langid (Lui and Baldwin 2012: naive Bayes over n-grams of bytes); its model takes 0.6 s to load.
"""

from __future__ import annotations

import re
import string
from functools import cache
from typing import TYPE_CHECKING

from ark_tui.index.words import analysis

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE = 2_000  # characters that are looked at
FEWEST = 5  # words that can be told by
_ENGLISH = "the and of that with this for from by which to be it not have can when than"
ENGLISH = frozenset(_ENGLISH.split())
_OTHERS = "og på til som het een"  # of the languages that have "for", "to" and "of" as well
OTHERS = frozenset(_OTHERS.split())
COMMON = 0.06  # least share of those in English prose
TELLING = 0.08  # least share of a language's own function words in its prose; it is 0.3 or more in most
VARIED = 20  # words from which on two different ones are asked for
MARKED = 0.02  # least share of a language's own letters, where there is no list of function words
LETTERS = {"ro": "ăâîșşțţ", "tr": "çğıöşüâî"}
SCRIPT = 0.2  # least share of letters in a script of its own
SCRIPTS = {
    code: re.compile(letters)
    for code, letters in {"ar": "[؀-ۿ]", "el": "[Ͱ-Ͽἀ-῿]", "ru": "[Ѐ-ӿ]", "ta": "[஀-௿]"}.items()
}

_PLAIN = (string.ascii_lowercase + string.whitespace).encode()  # what does not end a word within a part
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
    parts = sample.split()
    breaks = len(sample.encode("utf-8", "replace").translate(None, _PLAIN))
    if _english(parts) >= COMMON * (len(parts) + breaks):
        return ""  # there cannot be so many words that these are too few
    words = _WORD.findall(sample)
    if len(words) < FEWEST or _english(words) >= COMMON * len(words):
        return ""
    letters = "".join(words)
    for code, script in SCRIPTS.items() if not letters.isascii() else ():
        if len(script.findall(letters)) >= SCRIPT * len(letters):
            return code
    possible = _possible(words, letters)
    code = str(_identifier().classify(" ".join(words))[0]) if possible else ""
    code = "no" if code == "nn" else code
    return code if code in possible else ""


def _english(words: list[str]) -> int:
    """How many of some words are common in English, less those that are not of it."""
    return sum(map(ENGLISH.__contains__, words)) - sum(map(OTHERS.__contains__, words))


def _possible(words: list[str], letters: str) -> list[str]:
    """The languages that a text without English words may be prose of; names and data are of none."""
    words = [word for word in words if len(word) > 1]  # else the options of commands were Italian
    english = sum(map(analysis.function_words(words, "en").__contains__, words))
    least = max(TELLING * len(words), english + 1)
    known = [code for code in analysis.STOPPED if _is_prose(words, code, least)]
    own = [code for code, ones in LETTERS.items() if sum(map(letters.count, ones)) >= MARKED * len(letters)]
    return known + own


def _is_prose(words: list[str], code: str, least: float) -> bool:
    known = analysis.function_words(words, code)
    return len(known) >= (2 if len(words) >= VARIED else 1) and sum(map(known.__contains__, words)) >= least


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
