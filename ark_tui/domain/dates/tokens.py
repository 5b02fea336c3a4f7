"""Tokenization of a query into words, numbers and signs, with lookups by token index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from ark_tui.domain.dates import words
from ark_tui.domain.dates.words import Phrases

T = TypeVar("T")

TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
MONEY = frozenset("$€£¥")
FIRST_YEAR, LAST_YEAR = 1000, 2099  # of four-digit years


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign. `glued`: it follows the previous token without a space."""

    text: str
    start: int
    end: int
    glued: bool
    capital: bool


class Tokens:
    """The tokens of a text; an index out of range gives an empty word."""

    def __init__(self, text: str, today: date) -> None:
        self.text = text
        self.today = today
        self.tokens = list(_tokens(text))

    def word(self, at: int) -> str:
        """The token in lower case; empty if out of range."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def words(self, at: int, count: int) -> tuple[str, ...]:
        return tuple(self.word(place) for place in range(at, at + count))

    def glued(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].glued

    def number(self, at: int) -> int:
        """The number, if it has up to four digits; else 0."""
        word = self.word(at)
        return int(word) if word.isdecimal() and len(word) <= 4 else 0

    def year_number(self, at: int) -> int:
        """A four-digit year that is not part of another number, address or word; else 0."""
        number = self.number(at)
        if not FIRST_YEAR <= number <= LAST_YEAR or len(self.word(at)) != 4:
            return 0
        before = self.word(at - 1) if self.glued(at) else ""
        behind = self.word(at + 1) if self.glued(at + 1) else ""
        wrong = before.isalnum() or (before in {".", ",", "/", "#", "_", ":"} and self._no_range(at, before))
        named = before == "-" and self.glued(at - 1) and self.text[self.tokens[at - 2].start].isupper()
        if wrong or named or before in MONEY or behind.isalpha() or behind in {"%", "_", *MONEY}:
            return 0
        on = self.word(at + 2) if self.glued(at + 2) else ""
        cut = (behind in {".", ",", ":"} and on.isdecimal()) or (behind == "." and on.isalpha())
        return 0 if cut else number

    def _no_range(self, at: int, before: str) -> bool:
        """Whether the sign before a year differs from that in `2023/2024` and `Hamburg,2024`."""
        year, word = self.number(at - 2) > 0, not self.word(at - 2).isdecimal()
        return not ((before == "/" and year) or (before == "," and word))

    def skipped(self, at: int) -> int:
        """The index after an article, or the same index if there is none."""
        return at + (self.word(at) in words.ARTICLES)

    def longest(self, phrases: Phrases[T], at: int) -> tuple[T, int] | None:
        """The value of the longest phrase that starts at a token, and the index after it."""
        for length in range(5 if self.word(at) in phrases.first else 0, 0, -1):
            phrase = self.words(at, length)
            if phrase in phrases:
                return phrases[phrase], at + length
        return None

    def count(self, at: int) -> tuple[tuple[int, int], int] | None:
        """The minimum and maximum of `3`, `three` or `a few`, and the index after it."""
        if vague := self.longest(words.VAGUE, at):
            return vague
        number = self.number(at) or words.NUMBERS.get(self.word(at), 0)
        return ((number, number), at + 1) if number else None

    def offset(self, at: int) -> int | None:
        """-1 for `last`, 0 for `this`, 1 for `next`, -2 for `vorletzte`."""
        word = self.word(at)
        for words_, off in ((words.LAST, -1), (words.THIS, 0), (words.NEXT, 1), (words.BEFORE_LAST, -2)):
            if word in words_:
                return off
        return None


def counted(text: str) -> int:
    """Parse a text as a number, in digits or as a word; 0 if it is not a number."""
    reader = Tokens(text, date.min)
    count = reader.count(0)
    return count[0][1] if count and count[1] == len(reader.tokens) else 0


def _tokens(text: str) -> Iterator[Token]:
    end = -1
    for match in TOKEN.finditer(text):
        word = match[0]
        yield Token(
            word.casefold() if word != "ß" else word, *match.span(), match.start() == end, word[0].isupper()
        )
        end = match.end()
