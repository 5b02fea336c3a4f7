"""One form for texts that are the same to a reader and differ in their code points.

Names are compared composed (`composed`). Words are compared without the marks of Hebrew and Arabic, too, and
with the entities of HTML decoded (`normal`). Texts are stored as they are written; `aligned` leads from a
normal text back to the places in the original.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache

_MARKS = (  # vowels and accents of Hebrew and Arabic, and the stroke that stretches a word
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
    "\u06e7\u06e8\u06ea-\u06ed"
)
_MARKED = re.compile(f"[{_MARKS}]+")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")


def composed(text: str) -> str:
    """A name as it is compared: whatever can be one character is one (NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def normal(text: str) -> str:
    """A text as its words are compared."""
    if "&" in text:
        text = _ENTITY.sub(_decoded, text)
    return text if text.isascii() else _MARKED.sub("", unicodedata.normalize("NFC", text))


def aligned(text: str) -> tuple[str, list[int]]:
    """The normal form of a text, and for each of its characters, and its end, the place in the original."""
    parts: list[str] = []
    places: list[int] = []
    for match in _unit().finditer(text):
        part = normal(match.group())
        parts.append(part)
        places += [match.start()] * len(part)
    return "".join(parts), [*places, len(text)]


def _decoded(match: re.Match[str]) -> str:
    """The character of an entity; one without a name that is known stays as it is."""
    return html.unescape(match.group())


@cache
def _unit() -> re.Pattern[str]:
    """What is composed by itself: a character or entity with its marks, a syllable of Hangul."""
    marks = [chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == "M"]
    one = rf"(?:{_ENTITY.pattern}|.)"
    return re.compile(rf"{one}[\u1160-\u11ff{''.join(map(re.escape, marks))}{_MARKS}]*", re.DOTALL)
