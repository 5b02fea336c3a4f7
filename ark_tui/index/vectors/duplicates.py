"""Detection of near-duplicates: texts with almost the same words (requirement I10).

Two texts are near-duplicates if the cosine of their vectors is at least 0.95, the Jaccard index of their word
3-shingles at least 0.9, and they contain the same numbers and identifiers: by cosine alone a static model
confuses the 353rd Regiment with the 354th. Candidates share one of `KEYS` MinHash values (Broder 1997): a
pair at the limit shares none of the six once in a million. A row lists the hashes of near-duplicate texts, so
it stays valid whatever happens to their chunks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple
from zlib import crc32

import numpy as np

from ark_tui.index.vectors.rows import key
from ark_tui.index.vectors.table import KEYS, VectorTable, hash_keys
from ark_tui.index.words.analysis import names
from ark_tui.store import Store, changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.vectors.rows import Written

Rule = Literal["strict", "off"]

COSINE = 0.95
OVERLAP = 0.9  # minimum Jaccard index
SHINGLE = 3  # words
MOST = 16  # maximum texts compared with each text, the earliest first

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ODD = np.random.default_rng(0).integers(0, 2**63, KEYS + SHINGLE, dtype=np.uint64) * np.uint64(2) + 1


class Wording(NamedTuple):
    """Features of a text for comparison: its numbers and identifiers, and hashes of its shingles."""

    named: frozenset[str]
    shingles: NDArray[np.uint64]

    @classmethod
    def of(cls, text: str) -> Wording:
        """Extract the features. A text of fewer than three words is one shingle, an empty text none."""
        hashed = [crc32(word.encode("utf-8", "surrogatepass")) for word in _WORD.findall(text.casefold())]
        hashed += [0] * (SHINGLE - len(hashed) if hashed else 0)
        flat, last = np.array(hashed, np.uint64), max(0, len(hashed) - SHINGLE + 1)
        mixed = sum((flat[i : i + last] * _ODD[i] for i in range(SHINGLE)), np.zeros(last, np.uint64))
        return cls(frozenset((*_NUMBER.findall(text), *names(text))), np.unique(_mixed(mixed)))

    def keys(self) -> NDArray[np.uint64]:
        """The MinHash values, with the numbers and identifiers mixed in; zeros for a text without words."""
        if not len(self.shingles):
            return np.zeros(KEYS, np.uint64)
        kind = np.array([crc32(" ".join(sorted(self.named)).encode("utf-8", "surrogatepass"))], np.uint64)
        least = (self.shingles[:, None] * _ODD[None, SHINGLE:]).min(axis=0)
        return _mixed(least ^ kind * _ODD[:1])

    def same(self, other: Wording) -> bool:
        """Whether two texts differ only in a few words."""
        a, b = self.shingles, other.shingles
        if self.named != other.named or min(len(a), len(b)) < OVERLAP * max(len(a), len(b)):
            return False
        shared = len(np.intersect1d(a, b, assume_unique=True))
        return shared >= OVERLAP * (len(a) + len(b) - shared)


def candidates(
    keys: NDArray[np.uint64], corpus: NDArray[np.uint64], numbers: NDArray[np.int64]
) -> dict[int, list[int]]:
    """For each row of `keys`, the corpus rows that share a key, lowest chunk number first."""
    wanted = np.unique(keys[keys.any(axis=1)])
    rows = np.flatnonzero(np.isin(corpus, wanted).any(axis=1))
    rows = rows[np.argsort(numbers[rows], kind="stable")]
    by_key: dict[int, list[int]] = {}
    for row, values in zip(rows.tolist(), corpus[rows].tolist(), strict=True):
        for value in values:
            by_key.setdefault(value, []).append(row)
    found = {}
    for at, values in enumerate(keys.tolist()):
        met = dict.fromkeys(row for value in values if value for row in by_key.get(value, ())[: 2 * MOST])
        if met:
            found[at] = sorted(met, key=lambda row: int(numbers[row]))[:MOST]
    return found


def firsts(
    chunk: NDArray[np.int64], key: NDArray[np.int64], alike: Mapping[int, Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The chunks that duplicate an earlier one, ascending, and the first duplicate of each.

    `key`: the hash of each chunk's text; `alike`: hashes of near-duplicates, by the hash of a text.
    """
    parent: dict[int, int] = {}

    def root(text: int) -> int:
        while parent.get(text, text) != text:
            text = parent[text]
        return text

    there = set(key.tolist()) if alike else set[int]()
    for text, others in alike.items():
        for other in others:
            if text in there and other in there:
                a, b = root(text), root(other)
                parent[max(a, b)] = min(a, b)
    kinds = key.copy()
    if parent:
        at = np.flatnonzero(np.isin(key, np.fromiter({*parent, *parent.values()}, np.int64)))
        kinds[at] = [root(text) for text in key[at].tolist()]
    _, first, inverse = np.unique(kinds, return_index=True, return_inverse=True)
    leader = chunk[first][inverse]
    repeats = leader != chunk
    return chunk[repeats], leader[repeats]


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of hashes (the finalizer of splitmix64, Steele et al. 2014)."""
    hashes = (hashes ^ hashes >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ hashes >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return hashes ^ hashes >> np.uint64(31)


Compared = dict[int, tuple[Wording, "Matrix"]]
"""The wording and the vector of chunks, by number."""


@dataclass(frozen=True, slots=True)
class Found:
    """MinHash keys, hashes of near-duplicate texts, and which chunks duplicate one of an earlier document."""

    keys: NDArray[np.uint64]
    alike: list[list[int]]
    repeats: NDArray[np.bool_]


class Alike:
    """Finds near-duplicates in one table, by a rule."""

    def __init__(self, store: Store, table: VectorTable, rule: Rule) -> None:
        self._store, self._table, self._rule = store, table, rule

    def found(self, chunks: Sequence[LiveChunk], matrix: Matrix, rows: Written) -> Found:
        """The near-duplicates of chunks; `matrix`: their vectors."""
        keys = np.zeros((len(chunks), KEYS), np.uint64)
        if self._rule == "off" or not chunks:
            return Found(keys, [[] for _ in chunks], np.zeros(len(chunks), bool))
        numbers = np.array([chunk.number for chunk in chunks])
        own = hash_keys(chunk.text_hash for chunk in chunks)
        others = (rows.chunk > 0) & ~np.isin(rows.chunk, numbers)
        number = np.concatenate([rows.chunk[others], numbers])
        text = np.concatenate([rows.hash[others], own])
        document = np.concatenate([rows.document[others], [chunk.document for chunk in chunks]])
        wordings = [Wording.of(chunk.text) for chunk in chunks]
        keys[:] = [wording.keys() for wording in wordings]
        met = candidates(keys, np.concatenate([rows.keys[others], keys]), number)
        known: Compared = dict(zip(numbers.tolist(), zip(wordings, matrix, strict=True), strict=True))
        near = {number[row] for several in met.values() for row in several}
        known |= self._stored(near - known.keys())
        met = {at: _same(int(numbers[at]), several, number, known) for at, several in met.items()}
        equal = np.flatnonzero(np.isin(text, own))
        order = equal[np.argsort(text[equal], kind="stable")]
        low, high = (np.searchsorted(text[order], own, side) for side in ("left", "right"))
        alike, repeats = list[list[int]](), np.zeros(len(chunks), bool)
        for at in range(len(chunks)):
            twins = np.array([*met.get(at, ()), *order[low[at] : high[at]]], np.int64)
            alike.append([one for one in np.unique(text[twins]).tolist() if one != own[at]])
            earlier = twins[number[twins] < numbers[at]]
            repeats[at] = (document[earlier] != chunks[at].document).any()
        return Found(keys, alike, repeats)

    def _stored(self, chunks: Iterable[int]) -> Compared:
        """The wording and vectors of stored chunks; chunks whose text has changed are skipped."""
        numbers = [int(chunk) for chunk in chunks]
        if not numbers:
            return {}
        with self._store.read() as lease:
            texts = changes.texts(lease, numbers)
        stored = self._table.columns(["chunk", "hash"], self._table.these(numbers))
        vectors = self._table.rows_of(stored["chunk"].to_numpy())
        return {
            number: (Wording.of(texts[number][1]), vector)
            for number, text, vector in zip(
                stored["chunk"].to_pylist(), stored["hash"].to_pylist(), vectors, strict=True
            )
            if number in texts and key(texts[number][0]) == text
        }


def _same(chunk: int, rows: Iterable[int], number: NDArray[np.int64], known: Compared) -> list[int]:
    """The rows that are near-duplicates of a chunk."""
    wording, vector = known[chunk]
    others = ((row, known.get(int(number[row]))) for row in rows if number[row] != chunk)
    return [
        row
        for row, other in others
        if other and wording.same(other[0]) and float(vector @ other[1]) >= COSINE
    ]
