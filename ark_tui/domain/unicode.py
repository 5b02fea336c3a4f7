"""Unicode normalization for comparisons.

Names are compared in NFC (`composed`). Words are compared in NFC, without Hebrew and Arabic marks, and with
HTML entities decoded (`normal`). Texts are stored unchanged; `aligned` maps normalized text to positions in
the original.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache

_MARKS = (  # Hebrew and Arabic vowels and accents, and the tatweel
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
    "\u06e7\u06e8\u06ea-\u06ed"
)
_MARKED = re.compile(f"[{_MARKS}]+")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")


def composed(text: str) -> str:
    """Normalize a name to NFC for comparison."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def normal(text: str) -> str:
    """Normalize a text for comparing words."""
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    return text if text.isascii() else _MARKED.sub("", unicodedata.normalize("NFC", text))


def aligned(text: str) -> tuple[str, list[int]]:
    """The normal form of a text, with the original position of each character and of the end."""
    parts: list[str] = []
    places: list[int] = []
    for match in _unit().finditer(text):
        part = normal(match.group())
        parts.append(part)
        places += [match.start()] * len(part)
    return "".join(parts), [*places, len(text)]


@cache
def _unit() -> re.Pattern[str]:
    """A pattern for independently normalized units: a character or entity with marks, a Hangul syllable."""
    marks = [chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == "M"]
    one = rf"(?:{_ENTITY.pattern}|.)"
    return re.compile(rf"{one}[\u1160-\u11ff{''.join(map(re.escape, marks))}{_MARKS}]*", re.DOTALL)
