"""The tokens of texts, put together from those of their words: words come back.

A token of the static model's tokenizer never has a space after a letter, nor a line break beside anything,
so that a word with the spaces before it is tokenised by itself, and remembered. That takes a fifth of the
time of tokenising texts as a whole, with the same result. The first words are put together from the pieces
of the tokenizer, with the same result again: it is loaded once that has taken as long as loading it.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from ark_tui.embedding.pieces import MARKS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ark_tui.embedding.pieces import Pieces

# What the tokenizer treats by itself: a word with the spaces before it, a line break, a run of spaces.
# None of its tokens reaches over such a border. Words of endless length, and scripts that are written
# without spaces (from U+2E80 on), are cut into short runs, which changes a few of their tokens: for counting.
UNIT = re.compile(r" {0,64}[^ \n\u2e80-\U0010ffff]{1,40}|[\u2e80-\U0010ffff]{1,4}| {1,64}|\n")
WORD = re.compile(r" *[^ \n]+| +|\n")  # the same, uncut
SPACED = re.compile(r"(?: (?=[^ \n]))?([^ \n]+|\n[^ \n]*| +[^ \n]*)")  # see `_split`
LONGEST = 64  # characters of a word that is remembered
REMEMBERED = 300_000  # distinct units kept, and distinct words: 50 MB at most
TOGETHER = 500  # units tokenised in one go; the time grows faster than the length
SPELLED = 30_000  # characters put together from pieces, at 2 µs each: loading the tokenizer takes 60 ms


class Units:
    """The token ids of words, as bytes (two for each id), remembered. Thread-safe."""

    def __init__(self, tokenizer: Callable[[], Tokenizer], pieces: Callable[[], Pieces]) -> None:
        self._tokenizer, self._pieces = tokenizer, pieces
        self._left = SPELLED
        (self._break,) = pieces().of_unit("\n")
        self._known = self._line_break()
        self._words: dict[str, bytes] = {}  # the same of words, as `_split` has them
        self._counts: dict[str, int] = {}  # the same as numbers, which is what chunking asks for

    def load(self) -> None:
        """Load the tokenizer, for many texts are to come."""
        self._left = -1
        self._tokenizer()

    def whole(self, texts: Iterable[str]) -> list[bytes | None]:
        """The ids of whole texts; None for one that must be tokenised as a whole."""
        words, found = self._words, list[bytes | None]()
        waiting: dict[int, list[str]] = {}  # those with new words
        for place, text in enumerate(texts):
            found.append(None)
            if _is_odd(text):
                continue
            split = _split(text)
            try:
                found[place] = b"".join(map(words.__getitem__, split))
            except KeyError:
                waiting[place] = split
        rare = self._learn_words(words, set(chain.from_iterable(waiting.values())).difference(words))
        for place, split in waiting.items():
            found[place] = b"".join(
                [words.get(word) or rare[word] for word in split]
                if rare and rare.keys() & split
                else map(words.__getitem__, split)
            )
        return found

    def _learn_words(self, words: dict[str, bytes], new: set[str]) -> dict[str, bytes]:
        """Remember what is new, but for long words, which are returned: names of files, addresses."""
        known, units = self._known, {word: _unit(word) for word in new}
        fresh = self._tokenised(sorted({unit for unit in units.values() if unit and unit not in known}))
        line_break, rare = known["\n"], dict[str, bytes]()
        for word, unit in units.items():
            ids = known.get(unit) or fresh.get(unit, b"")
            (words if len(word) <= LONGEST else rare)[word] = line_break + ids if word[0] == "\n" else ids
        if len(words) > REMEMBERED:
            self._words = {}
        return rare

    def parts(self, text: str) -> list[tuple[int, int, bytes]]:
        """The units of a text: where each begins and ends, without the spaces before it, and its ids.

        Nothing for a text that must be tokenised as a whole.
        """
        if _is_odd(text):
            return []
        found = list(WORD.finditer(f" {text}"))
        words = {match[0] for match in found}
        long = {word for word in words if len(word) > LONGEST}
        known, others = self._knowing(words - long), self._tokenised(sorted(long)) if long else {}
        return [
            (
                match.end() - len(match[0].lstrip(" ")) - 1,
                match.end() - 1,
                known.get(match[0]) or others[match[0]],
            )
            for match in found
        ]

    def counts(self, units: Sequence[str]) -> list[int]:
        """How many tokens each unit has."""
        counts = self._counts
        try:
            return list(map(counts.__getitem__, units))
        except KeyError:
            wanted = set(units).difference(counts)
        known = self._knowing(wanted)
        counts |= {unit: len(known[unit]) // 2 for unit in wanted}
        if len(counts) > REMEMBERED:
            self._counts = {}
        return list(map(counts.__getitem__, units))

    def _knowing(self, wanted: set[str]) -> dict[str, bytes]:
        """What is known, with all that is wanted."""
        known = self._known
        self._learn(known, wanted.difference(known))
        return known

    def _learn(self, known: dict[str, bytes], missing: set[str]) -> None:
        """Tokenise what is missing; when it has become too much, what comes next begins anew."""
        if missing:
            known |= self._tokenised(sorted(missing))
            if len(known) > REMEMBERED:
                self._known = self._line_break()

    def _line_break(self) -> dict[str, bytes]:
        """The one unit that cannot be tokenised among others, for it stands between them."""
        return {"\n": self._break.to_bytes(2, sys.byteorder)}

    def _tokenised(self, units: Sequence[str]) -> dict[str, bytes]:
        """The ids of new units."""
        self._left -= sum(map(len, units))
        if self._left < 0 or any(map(_is_odd, units)):
            self._left = -1
            return self._in_lines(units)
        pieces = self._pieces()
        return {unit: array("H", pieces.of_unit(unit)).tobytes() for unit in units}

    def _in_lines(self, units: Sequence[str]) -> dict[str, bytes]:
        """Tokenise units, many at once, in lines: a line break is a token by itself, and in no unit."""
        import numpy as np

        groups = [units[i : i + TOGETHER] for i in range(0, len(units), TOGETHER)]
        lines = ["\n" + "\n".join(group).encode("utf-8", "replace").decode() + "\n" for group in groups]
        fresh: dict[str, bytes] = {}
        encoded = self._tokenizer().encode_batch_fast(lines, add_special_tokens=False)
        for group, encoding in zip(groups, encoded, strict=True):
            ids = np.array(encoding.ids, np.uint16)
            breaks = (2 * np.flatnonzero(ids == self._break)).tolist()
            raw = ids.tobytes()
            fresh |= {unit: raw[a + 2 : b] for unit, (a, b) in zip(group, pairwise(breaks), strict=True)}
        return fresh


def _split(text: str) -> list[str]:
    """The words of a text. What is before one stands with it, unless it is one space.

    What begins a line has the break before it. Where there are only single spaces, that takes half the time.
    """
    if "  " in text or " \n" in text or text[:1] in ("", " ", "\n") or text[-1] == " ":
        return SPACED.findall(f" {text}") if text else []
    return text.replace("\n", " \n").split(" ")


def _unit(word: str) -> str:
    """What is to be tokenised of a word: a space is before it, unless it begins a line."""
    return word[1:] if word[0] == "\n" else word if word[0] == " " else f" {word}"


def _is_odd(text: str) -> bool:
    """Whether the tokenizer has its own ways with something in a text, halves of pairs among them."""
    if text.isascii() and "<" not in text:
        return False
    if "\u2581" in text or ("<" in text and any(mark in text for mark in MARKS)):
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
