"""Keys by which texts that share nearly all their word 3-shingles are found without comparing every pair.

Two sets with a Jaccard of at least 0.9, the larger of which has n members, differ in at most n / 9 of them:
a set of up to 9 m − 1 that is dealt by hash into m parts has one part in common with every such other
(PartEnum of Arasu, Ganti and Kaushik, VLDB 2006, at its first level). A part and the numbers that a text
names make a key. Each text is kept under the keys of its own size, and looked up under those of every size
that one alike may have: none is missed, and two that are not alike rarely meet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ark_tui.index.vectors.serving import spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]  # key << 32 | row; of pairs row << 32 | row

OVERLAP = 0.9  # least Jaccard
SHINGLE = 3  # words
SPREAD = 9  # members for each part: OVERLAP / (1 − OVERLAP)
AT_ONCE = 4096  # texts
MET = 64  # others under one key
ROW = np.uint64(32)  # bits of a row number
EMPTY = np.empty(0, np.uint64)
REMEMBERED = 1 << 17  # words
SEVERAL = 16  # distinct characters beyond ASCII: a text with more is looked through by patterns

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ASCII, _BEYOND = bytes(range(128)), bytes(range(128, 256))
_WORDS = (
    bytes(
        ord(chr(code).lower()) if chr(code).isalnum() or code == ord("_") else ord(" ") for code in range(128)
    )
    + _BEYOND
)
_NUMBERS = bytes(code if code in b"0123456789.,:" else ord(" ") for code in range(256))
_FIRST, _SECOND, _THIRD = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)


def _parts() -> NDArray[np.int64]:
    """Numbers of parts that are in use: few enough that a text is looked up under one to three of them."""
    found = [1]
    while found[-1] < 1 << 20:
        found.append(max(found[-1] + 1, int(found[-1] / OVERLAP**2)))
    return np.array(found)


PARTS = _parts()


class Shingles(NamedTuple):
    """The sets of some texts, one after the other.

    `hashes` ascend within each text; `owner` says whose they are, `sizes` how many each has.
    """

    hashes: NDArray[np.uint64]
    owner: NDArray[np.int64]
    sizes: NDArray[np.int64]


class _Hashed(dict[str, int]):
    """64 bits that stand for a word, remembered."""

    def __missing__(self, word: str) -> int:
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if len(self) >= REMEMBERED:
            self.clear()
        found = self[word] = int.from_bytes(digest, "little")
        return found


_known = _Hashed()
_hashed = _known.__getitem__


def forget() -> None:
    """Let go of the words that are remembered, which may be 20 MB."""
    _known.clear()


def numbers(text: str) -> frozenset[str]:
    """The numbers that a text names."""
    data = text.encode("utf-8", "surrogatepass")
    if any(char.isdecimal() for char in _beyond(data)):
        return frozenset(_NUMBER.findall(text))
    found: set[str] = set()
    for part in set(data.translate(_NUMBERS).decode().split()):
        if part.isdecimal():
            found.add(part)
        elif len(part) > 1:
            found.update(_NUMBER.findall(part))
    return frozenset(found)


def words(text: str) -> list[str]:
    """The words of a text, in one case."""
    data = text.encode("utf-8", "surrogatepass")
    beyond = _beyond(data)
    if len(beyond) > SEVERAL:
        return _WORD.findall(text.casefold())
    for char in beyond:
        text = text.replace(char, _folded(char))
    if beyond:
        data = text.encode("utf-8", "surrogatepass")
    return data.translate(_WORDS).decode("utf-8", "surrogatepass").split()


def _beyond(data: bytes) -> set[str]:
    """The characters beyond ASCII of a text in UTF-8."""
    return set(data.translate(None, _ASCII).decode("utf-8", "surrogatepass"))


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    """A character in one case, with blanks for what is in no word."""
    return "".join(one if one.isalnum() or one == "_" else " " for one in char.casefold())


def of(texts: Sequence[str]) -> Shingles:
    """The 3-shingles of texts; one of fewer words is a shingle as a whole, one without words has none.

    As 52-bit hashes that are the same in every process. At most `AT_ONCE` texts.
    """
    all_words, lengths = [], []
    for one in texts:
        found = words(one)
        found += [""] * (SHINGLE - len(found) if found else 0)
        all_words += found
        lengths.append(len(found))
    flat = np.fromiter(map(_hashed, all_words), np.uint64, len(all_words))
    mixed = _mixed(flat[:-2] * _FIRST + flat[1:-1] * _SECOND + flat[2:] * _THIRD)
    text = np.repeat(np.arange(len(texts), dtype=np.uint64), lengths)[:-2]
    whole = np.ones(len(mixed), bool)
    ends = np.cumsum(lengths)
    for before in (1, 2):  # what begins there runs into the next text
        cut = ends - before
        whole[cut[(cut >= 0) & (cut < len(whole))]] = False
    packed = distinct([(text << np.uint64(52) | mixed >> np.uint64(12))[whole]])
    owner = (packed >> np.uint64(52)).astype(np.int64)
    return Shingles(packed & np.uint64((1 << 52) - 1), owner, np.bincount(owner, minlength=len(texts)))


def keys(texts: Sequence[str], rows: NDArray[np.int64]) -> tuple[Keys, Keys]:
    """The keys that the texts of some rows are kept under, and those they are looked up under, unsorted.

    At most `AT_ONCE` texts.
    """
    sets = of(texts)
    kinds = np.fromiter((_hashed(" ".join(sorted(numbers(text)))) for text in texts), np.uint64, len(texts))
    own, low, high = map(_step, (sets.sizes, -(-9 * sets.sizes // 10), 10 * sets.sizes // 9))
    kept, asked = [], []
    for beyond in range(int((high - low).max(initial=-1)) + 1):
        here = np.flatnonzero(low + beyond <= high)
        owner, found = _dealt(sets, here, PARTS[(low + beyond)[here]], kinds)
        found |= rows.astype(np.uint64)[owner]
        asked.append(found)
        kept.append(found[(low + beyond == own)[owner]])
    return np.concatenate([EMPTY, *kept]), np.concatenate([EMPTY, *asked])


def distinct(some: Sequence[Keys]) -> Keys:
    """All that there are, ascending; quick for some that ascend already."""
    keys = np.sort(np.concatenate([EMPTY, *some]), kind="stable")
    once: Keys = keys[np.diff(keys, prepend=~keys[:1]) != 0]
    return once


def rows(keys: Keys) -> NDArray[np.int64]:
    """Whose keys they are."""
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)


def meeting(asked: Keys, files: Sequence[Keys], live: NDArray[np.bool_]) -> Keys:
    """Rows that share a key with another live one of some ascending files: later << 32 | earlier, ascending.

    Under one key only the earliest `MET` live ones are met: of a text that comes a thousand times, each with
    another word, there would be a million pairs.
    """
    upper, place = np.unique(asked >> ROW, return_inverse=True)
    met, nth = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for file in files:
        start, end = np.searchsorted(file, upper << ROW), np.searchsorted(file, (upper + np.uint64(1)) << ROW)
        there = rows(file[spans(start, end - start)])
        met.append(there[live[there]])
        nth.append(np.repeat(np.arange(len(upper)), end - start)[live[there]])
    row, key = np.concatenate(met), np.concatenate(nth)
    order = np.lexsort((row, key))
    row, key = row[order], key[order]
    first = np.searchsorted(key, np.arange(len(upper)))
    early = np.arange(len(key)) - first[key] <= MET  # itself is one of them
    row, count = row[early], np.bincount(key[early], minlength=len(upper))
    start = np.cumsum(count) - count
    other = row[spans(start[place], count[place])]
    one = np.repeat(rows(asked), count[place])
    pairs = np.maximum(one, other) << 32 | np.minimum(one, other)
    return distinct([pairs[one != other].astype(np.uint64)])


def _step(size: NDArray[np.int64]) -> NDArray[np.intp]:
    """Which of the numbers of parts a set of this size is dealt into."""
    return np.searchsorted(PARTS, (size + SPREAD) // SPREAD)


def _dealt(
    sets: Shingles, texts: NDArray[np.int64], parts: NDArray[np.int64], kinds: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], Keys]:
    """A key for each part of some texts, in the upper half, and whose it is."""
    first = np.full(len(sets.sizes), -1)
    first[texts] = np.cumsum(parts) - parts
    into = np.zeros(len(sets.sizes), np.uint64)
    into[texts] = parts
    members = first[sets.owner] >= 0
    owner, hashes = sets.owner[members], sets.hashes[members]
    part = (hashes >> np.uint64(20)) * into[owner] >> np.uint64(32)
    count = np.bincount(first[owner] + part.astype(np.int64), minlength=int(parts.sum()))  # they ascend
    end = np.cumsum(count)
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    total = running[end] - running[end - count]
    whose = np.repeat(texts, parts)
    nth = (np.arange(len(whose)) - first[whose]).astype(np.uint64)
    key = _mixed(total * _FIRST + kinds[whose] * _SECOND + (into[whose] << ROW | nth) * _THIRD)
    return whose, key >> ROW << ROW


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit made to depend on every other (the finalizer of splitmix64, Steele and others 2014)."""
    hashes = (hashes ^ hashes >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ hashes >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return hashes ^ hashes >> np.uint64(31)
