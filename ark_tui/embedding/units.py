"""The tokens of texts, put together from those of their words: words come back.

A token of the static model's tokenizer never has a space after a letter, nor a line break beside anything,
so that a word with the spaces before it is tokenised by itself, and remembered. That takes a fifth of the
time of tokenising texts as a whole, with the same result.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# What the tokenizer treats by itself: a word with the spaces before it, a line break, a run of spaces.
# None of its tokens reaches over such a border. Words of endless length, and scripts that are written
# without spaces (from U+2E80 on), are cut into short runs, which changes a few of their tokens: for counting.
UNIT = re.compile(r" {0,64}[^ \n\u2e80-\U0010ffff]{1,40}|[\u2e80-\U0010ffff]{1,4}| {1,64}|\n")
WORD = re.compile(r" *[^ \n]+| +|\n")  # the same, uncut
LONGEST = 64  # characters of a word that is remembered
MARKS = ("\u2581", "<s>", "</s>", "<unk>")  # the tokenizer's own: the space's stand-in, and others
REMEMBERED = 300_000  # distinct units and words kept: 50 MB at most
TOGETHER = 500  # units tokenised in one go; the time grows faster than the length


class Units:
    """The token ids of words, as bytes (two for each id), remembered. Thread-safe."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._break = int(tokenizer.encode("\n", add_special_tokens=False).ids[-1])
        self._known = self._line_break()
        self._words: dict[str, bytes] = {}  # the same by words as `_split` has them
        self._counts: dict[str, int] = {}  # the same as numbers, which is what chunking asks for

    def whole(self, texts: Iterable[str]) -> list[bytes | None]:
        """The ids of whole texts; None for one that must be tokenised as a whole."""
        known, words, found = self._known, self._words, list[bytes | None]()
        waiting: dict[int, str] = {}  # those with something new
        for place, text in enumerate(texts):
            found.append(None)
            if _is_odd(text):
                continue
            try:
                found[place] = b"".join(
                    map(known.__getitem__, _units(text))
                    if _has_runs(text)
                    else map(words.__getitem__, _split(text))
                )
            except KeyError:
                waiting[place] = text
        for place, ids in zip(waiting, self._with_new([*waiting.values()]), strict=True):
            found[place] = ids
        return found

    def _with_new(self, texts: Sequence[str]) -> list[bytes]:
        """The ids of texts of which something is new; it is learnt."""
        known, split = self._known, [_units(text) for text in texts]
        missing = set(chain.from_iterable(split)).difference(known)
        long = {word for word in missing if len(word) > LONGEST}  # names of files, addresses: seldom twice
        fresh = self._tokenised(sorted(long)) if long else {}
        self._learn(known, missing - long)
        self._note([text for text in texts if not _has_runs(text)], known)
        return [
            b"".join([known.get(unit) or fresh[unit] for unit in units])
            if fresh and fresh.keys() & units
            else b"".join(map(known.__getitem__, units))
            for units in split
        ]

    def _note(self, texts: Sequence[str], known: Mapping[str, bytes]) -> None:
        """Remember the words of texts by what is known of their units."""
        words, line_break = self._words, known["\n"]
        for word in set(chain.from_iterable(map(_split, texts))).difference(words):
            if word == "\n":
                words[word] = line_break
            elif word[0] == "\n":  # without a space before it
                if word[1:] in known:
                    words[word] = line_break + known[word[1:]]
            elif f" {word}" in known:
                words[word] = known[f" {word}"]
        if len(words) + len(known) > REMEMBERED:
            self._words = {}

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
        """Tokenise new units, many at once, in lines: a line break is a token by itself, and in no unit."""
        import numpy as np

        groups = [units[i : i + TOGETHER] for i in range(0, len(units), TOGETHER)]
        lines = ["\n" + "\n".join(group).encode("utf-8", "replace").decode() + "\n" for group in groups]
        fresh: dict[str, bytes] = {}
        for group, encoding in zip(
            groups, self._tokenizer.encode_batch_fast(lines, add_special_tokens=False), strict=True
        ):
            ids = np.array(encoding.ids, np.uint16)
            breaks = (2 * np.flatnonzero(ids == self._break)).tolist()
            raw = ids.tobytes()
            fresh |= {unit: raw[a + 2 : b] for unit, (a, b) in zip(group, pairwise(breaks), strict=True)}
        return fresh


def _units(text: str) -> list[str]:
    """The words of a text, each with the spaces before it, and line breaks."""
    return WORD.findall(f" {text}") if text else []


def _split(text: str) -> list[str]:
    """The same of a text without runs of spaces, in half the time: the space before a word is left out.

    A word that begins a line has the break before it.
    """
    return text.replace("\n", " \n").split(" ")


def _has_runs(text: str) -> bool:
    """Whether there is more than one space somewhere, or one at the end of a line or of the text."""
    return "  " in text or " \n" in text or text[:1] in ("", " ", "\n") or text[-1] == " "


def _is_odd(text: str) -> bool:
    """Whether the tokenizer has its own ways with something in a text, halves of pairs among them."""
    if text.isascii() and "<" not in text:
        return False
    if any(mark in text for mark in MARKS):
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
