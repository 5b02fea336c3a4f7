"""The embedded model's tokens of a query, by the pieces of its tokenizer alone.

The tokenizer itself takes 60 ms to load, most of it for its 61,249 merges. Those follow from the pieces: two
tokens beside each other become one wherever the two together are a piece, of several such pairs first the one
whose piece has the lowest number, and spaces last of all (byte pair encoding, Sennrich et al. 2016). The
other way, what tokens spell needs the pieces only.
"""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SPACE = "\u2581"  # stands for a space
PLAIN = re.compile(r"[!-~]{1,40}(?: [!-~]{1,40})*")  # words with one space between them
LONGEST = 64  # spaces of a piece; more than any has
MARKS = ("<s>", "</s>", "<unk>")  # the first three pieces spell nothing


class Pieces:
    """The pieces of a tokenizer, by number."""

    def __init__(self, file: Path) -> None:
        """Read them out of the tokenizer's file; raises `ValueError` for one that is laid out otherwise."""
        text = file.read_bytes()
        start, end = text.index(b'"vocab"'), text.index(b'"merges"')
        vocabulary = text[text.index(b"{", start) : text.rindex(b"}", start, end) + 1]
        self._numbers: dict[str, int] = json.loads(vocabulary)
        self._pieces = list(self._numbers)
        self._bytes = {self._numbers[f"<0x{byte:02X}>"]: byte for byte in range(256)}
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
        told = (number for number in numbers if number >= len(MARKS))
        for single, run in groupby(told, self._bytes.__contains__):
            if single:
                found.append(_decoded(bytes(map(self._bytes.__getitem__, run))))
            else:
                found.append("".join(map(self._pieces.__getitem__, run)).replace(SPACE, " "))
        return "".join(found).removeprefix(" ")

    def of_unit(self, unit: str) -> tuple[int, ...]:
        """The token ids of part of a text, with the spaces that stand before it.

        A character that is no piece is one token for each of its bytes, which never become one.
        """
        numbers = self._numbers
        tokens = [
            token
            for character in unit.replace(" ", SPACE)
            for token in ([character] if character in numbers else _spelled(character))
        ]
        return self._merged(tokens, self._order if "  " in unit else numbers)

    def _of_word(self, word: str) -> tuple[int, ...]:
        return self.of_unit(f" {word}")

    @cached_property
    def _order(self) -> dict[str, int]:
        """The numbers, with runs of spaces behind all others."""
        order, last = dict(self._numbers), len(self._numbers)
        for length in range(2, LONGEST + 1):
            if (run := SPACE * length) in order:
                order[run] += last
        return order

    def _merged(self, tokens: list[str], order: dict[str, int]) -> tuple[int, ...]:
        """The token ids of these, after all that become one in this order have; changes the list.

        Pairs wait in a heap; one that is not what it was when it came there is passed over.
        """
        number, count = order.get, len(tokens)
        heap = [(n, at) for at, (a, b) in enumerate(pairwise(tokens)) if (n := number(a + b)) is not None]
        heapify(heap)
        before, after = [*range(-1, count - 1)], [*range(1, count + 1)]
        while heap:
            made, at = heappop(heap)
            if (to := after[at]) == count or not tokens[at] or number(tokens[at] + tokens[to]) != made:
                continue
            tokens[at], tokens[to] = tokens[at] + tokens[to], ""
            after[at] = then = after[to]
            if then < count:
                before[then] = at
            for a, b in ((before[at], at), (at, then)):
                if a >= 0 and b < count and (n := number(tokens[a] + tokens[b])) is not None:
                    heappush(heap, (n, a))
        return tuple(self._numbers[token] for token in tokens if token)


def _spelled(character: str) -> list[str]:
    """The pieces that stand for the bytes of a character."""
    return [f"<0x{byte:02X}>" for byte in character.encode()]


def _decoded(held: bytes) -> str:
    """What bytes spell, which are tokens of their own where no piece has a character."""
    try:
        return held.decode()
    except UnicodeDecodeError:
        return "\ufffd" * len(held)
