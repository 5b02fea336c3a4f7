"""The embedded model's tokens of a query, by the pieces of its tokenizer alone.

The tokenizer itself takes 60 ms to load, most of it for its 61,249 merges. Those follow from the pieces: two
tokens beside each other become one wherever the two together are a piece, of several such pairs first the one
whose piece has the lowest number (byte pair encoding, Sennrich et al. 2016). Words in ASCII need no more. The
other way, what tokens spell needs the pieces only.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SPACE = "\u2581"  # stands for a space
PLAIN = re.compile(r"[!-~]{1,40}(?: [!-~]{1,40})*")  # words with one space between them
MARKS = ("<s>", "</s>", "<unk>")  # the first three pieces spell nothing
BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class Pieces:
    """The pieces of a tokenizer, by number."""

    def __init__(self, file: Path) -> None:
        """Read them out of the tokenizer's file; raises `ValueError` for one that is laid out otherwise."""
        text = file.read_bytes()
        start, end = text.index(b'"vocab"'), text.index(b'"merges"')
        vocabulary = text[text.index(b"{", start) : text.rindex(b"}", start, end) + 1]
        self._numbers: dict[str, int] = json.loads(vocabulary)
        self._pieces = list(self._numbers)
        self.of_word = lru_cache(maxsize=1 << 12)(self._of_word)

    def of(self, text: str) -> list[int] | None:
        """The token ids of a text; None for one that takes the tokenizer."""
        if not text:
            return []
        if PLAIN.fullmatch(text) is None or any(mark in text for mark in MARKS):
            return None
        return [number for word in text.split(" ") for number in self.of_word(word)]

    def text(self, numbers: Iterable[int]) -> str:
        """What tokens spell, without the space before the first."""
        found: list[str] = []
        held = bytearray()
        for number in numbers:
            if number < len(MARKS):
                continue
            piece = self._pieces[number]
            if byte := BYTE.fullmatch(piece):
                held.append(int(byte[1], 16))
                continue
            if held:
                found.append(_decoded(held))
                held = bytearray()
            found.append(piece.replace(SPACE, " "))
        return "".join([*found, _decoded(held)]).removeprefix(" ")

    def _of_word(self, word: str) -> tuple[int, ...]:
        numbers, tokens = self._numbers, [SPACE, *word]
        while len(tokens) > 1:
            pairs = [numbers.get(a + b, len(numbers)) for a, b in pairwise(tokens)]
            if (best := min(pairs)) == len(numbers):
                break
            at = pairs.index(best)
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        return tuple(numbers[token] for token in tokens)


def _decoded(held: bytearray) -> str:
    """What bytes spell, which are tokens of their own where no piece has a character."""
    try:
        return held.decode()
    except UnicodeDecodeError:
        return "\ufffd" * len(held)
