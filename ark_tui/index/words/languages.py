"""Language detection, for languages with a stemmer.

English is `""`, the default. A text is first checked for frequent English words, which is cheap. A distinct
script identifies its language. Only texts with more function words of another language than of English, or
with its special letters, are passed to py3langid (Lui and Baldwin 2012: naive Bayes over byte n-grams), whose
model takes 0.6 s to load.
"""

from __future__ import annotations

import re
import string
from functools import cache
from typing import TYPE_CHECKING

from ark_tui.index.words import analysis

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE = 2_000  # characters to examine
FEWEST = 5  # minimum words for detection
_ENGLISH = "the and of that with this for from by which to be it not have can when than"
ENGLISH = frozenset(_ENGLISH.split())
_OTHERS = "og på til som het een"  # from languages in which "for", "to" and "of" also occur
OTHERS = frozenset(_OTHERS.split())
COMMON = 0.06  # minimum share of those in English prose
TELLING = 0.08  # minimum share of function words in prose; in most languages it is 0.3 or more
VARIED = 20  # words from which on two different function words are required
MARKED = 0.02  # minimum share of a language's special letters, if it has no function word list
LETTERS = {"ro": "ăâîșşțţ", "tr": "çğıöşüâî"}
SCRIPT = 0.2  # minimum share of letters in a distinct script
SCRIPTS = {
    code: re.compile(letters)
    for code, letters in {"ar": "[؀-ۿ]", "el": "[Ͱ-Ͽἀ-῿]", "ru": "[Ѐ-ӿ]", "ta": "[஀-௿]"}.items()
}

_PLAIN = (string.ascii_lowercase + string.whitespace).encode()  # bytes that do not end a word
_WORD = re.compile(r"[^\W\d_]+")
_NAMES = {name: code for code, name in analysis.STEMMERS.items()}


def written_in(text: str, stated: str = "") -> str:
    """The ISO 639-1 code of a text's language; "" for English and if unknown.

    `stated`: the language declared by the author (`de`, `de-AT`, `German`); it takes precedence if known.
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
        return ""  # an upper bound of the word count, so the share is high enough
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
    """The number of frequent English words minus that of words from similar languages."""
    return sum(map(ENGLISH.__contains__, words)) - sum(map(OTHERS.__contains__, words))


def _possible(words: list[str], letters: str) -> list[str]:
    """The possible languages of a text that is not English; none for names and data."""
    words = [word for word in words if len(word) > 1]  # otherwise command-line options would count as Italian
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
