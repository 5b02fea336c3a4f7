"""Short forms and what they stand for, as the corpus itself defines them.

Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text":
`reciprocal rank fusion (RRF)`, `RRF (reciprocal rank fusion)`, and lines of a glossary, `RRF: reciprocal rank
fusion`. A short form has two to ten characters, two capitals among them, and its letters are found in the
long form in their order, the first one at the beginning of a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ark_tui.index.words import terms as words_terms

SHORTEST, LONGEST = 2, 10  # characters of a short form
REACH = 160  # characters before a parenthesis, or after the short form, in which the long form is looked for

_PAREN = re.compile(rf"\(([^()\n]{{{SHORTEST},{REACH}}})\)")
_SHORT = re.compile(rf"[A-Za-z0-9][\w&./-]{{{SHORTEST - 2},{LONGEST - 2}}}\w")
_LINE = re.compile(  # of a glossary, also as an item of a list and in bold
    rf"^[ \t>*+-]*(?:\d+[.)] )?[*_`]*({_SHORT.pattern})[*_`]*[ \t]*(?::[*_`]*|[—–]|-(?= ))[ \t]*(.+)$",
    re.MULTILINE,
)
_BREAK = re.compile(r"[.;:!?](?=\s|$)|[()\[\]]|\n\s*\n|\s[—–-]\s")
_CODE = re.compile(r"[=<>{}\\|]|\w[._]\w")
_MARKS = re.compile(r"[*_`\"“”„]+")


class Definition(NamedTuple):
    """A short form and its long form, as they are written, and the path of the text that says so."""

    short: str
    long: str
    path: str = ""

    @property
    def long_stems(self) -> tuple[str, ...]:
        """The words of the long form that rank."""
        return words_terms.read(self.long).stems


def definitions(text: str, path: str = "") -> Iterator[Definition]:
    """What a text defines, in no order; the same may come twice."""
    return (Definition(short, long, path) for short, long in _defined(text))


def _defined(text: str) -> Iterator[tuple[str, str]]:
    for match in _PAREN.finditer(text):
        within = _plain(match[1])
        before = _BREAK.split(text[max(0, match.start() - REACH) : match.start()])[-1]
        last = _plain(" ".join(before.split()[-1:]))
        if _is_short(within):
            short, long = within, _ending(within, _plain(before))
        elif _is_short(last):
            short, long = last, _beginning(last, within, whole=True)
        else:
            continue
        if long:
            yield short, long
    for match in _LINE.finditer(text):
        if _is_short(match[1]) and (found := _beginning(match[1], _plain(_BREAK.split(match[2])[0]))):
            yield match[1], found


def commonest(found: list[Definition]) -> Definition | None:
    """The definition whose long form most of them give; of equals the first, None of none."""
    counts = Counter(one.long_stems for one in found)
    return max(found, key=lambda one: counts[one.long_stems], default=None)


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def _is_short(text: str) -> bool:
    return bool(_SHORT.fullmatch(text)) and sum(map(str.isupper, text)) > 1


def _ending(short: str, text: str) -> str:
    """The long form that a text ends with; empty where it ends with none."""
    most = min(len(short) + 5, 2 * len(short))
    words = text.split()[-most:]
    near = " ".join(words)
    start = _start(short, near)
    return _good(short, near[start:]) if start is not None else ""


def _beginning(short: str, text: str, *, whole: bool = False) -> str:
    """The long form that a text begins with, or is as a `whole`; empty where there is none."""
    words = text.partition(",")[0].split()[: min(len(short) + 5, 2 * len(short))]
    for count in (len(words),) if whole else range(1, len(words) + 1):
        near = " ".join(words[:count])
        if _start(short, near) == 0:
            return _good(short, near)
    return ""


def _start(short: str, text: str) -> int | None:
    """Where the long form begins at whose end a text ends: letters are matched from the right."""
    at = len(text)
    for place in range(len(short) - 1, -1, -1):
        letter = short[place].lower()
        if not letter.isalnum():
            continue
        at -= 1
        while at >= 0 and (text[at].lower() != letter or (not place and at and text[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
    return text.rfind(" ", 0, at) + 1


def _good(short: str, long: str) -> str:
    """The long form without marks at its ends; empty where that is rather a piece of a sentence, or of code.

    Beyond Schwartz and Hearst: it neither begins nor ends with a function word, and has no more other words
    than the short form has letters.
    """
    long = long.strip(" ,'’-")
    words = words_terms.words(long)
    telling = [word for word in words if word not in words_terms.STOP_WORDS]
    if not len(words) > 1 or len(telling) > len(short) or short.lower() in words:
        return ""
    whole = telling[:1] == words[:1] and telling[-1:] == words[-1:]
    return long if whole and not long.isupper() and not _CODE.search(long) else ""
