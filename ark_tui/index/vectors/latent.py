"""Latent semantic analysis (Deerwester et al. 1990): words of this corpus that share contexts count as akin.

The texts' stems, weighed as BM25 does (k1 1.2, b 0.75), make a matrix of texts and stems with rows of
length 1. Its leading right singular vectors are a table with a vector for each stem; a text's vector is the
sum of those of its stems, weighed, at length 1. The table is learnt from at most `SAMPLE` texts, when the
corpus has doubled since the last time; in between, new texts are pooled with the one in force.

`latent-V/` holds `stems.npy` (n,), 64 bits of a hash of each stem, ascending: no word can be read there;
`rarity.npy` (n,); `table.npy` (n, d); and `length.npy`, the mean number of stems of a text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.embedding import static
from ark_tui.index import standing
from ark_tui.index.vectors import serving
from ark_tui.index.words import terms

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.vectors.serving import Current, Tokens

    Rounded = NDArray[np.int16]  # unit vectors in parts of SCALE

DIMS = 200
SAMPLE = 20_000  # texts that a table is learnt from
STEMS = 20_000  # in a table, those of most texts
FEWEST = 2  # texts that a stem must be in
K1, B = 1.2, 0.75
ROUNDS = 3  # of subspace iteration
SPARE = 16  # more dimensions than wanted, while learning
SPANNED = 1e-10  # of the largest square: a direction with less is spanned by the others
SCALE = 32_767
DIGITS = 5  # of a product: what rounding the vectors leaves of texts that share nothing is nothing
AT_ONCE = 2048  # texts read at once
REMEMBERED = 200_000  # distinct words whose stems are kept
PLACES = 18  # bits of a word's hash by which it is looked up
FACTOR = 0x9E3779B97F4A7C15  # odd, of even bits: 2⁶⁴ over the golden ratio (Knuth, TAOCP 3, 6.4)


class Words:
    """The stems of texts, as numbers, spelled from their token ids; each word is spelled once.

    A word is known by 64 bits of a hash of its token ids, and looked up by the upper ones of these in a table
    for all words of many texts at once; of two that have the same place the second is looked up by itself.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Be empty; what has been numbered so far means nothing any more."""
        self._keys: dict[int, int] = {}  # the number of each stem, by its key
        self._known: dict[int, int] = {}  # the number of each word, by its hash
        self._stems: list[tuple[int, ...]] = []  # of each word
        self._hash = np.zeros(1 << PLACES, np.uint64)
        self._hash[0] = ~self._hash[0]  # which has another place: 0 is that of none
        self._word = np.zeros(1 << PLACES, np.int32)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The keys of the stems so far, by number."""
        return np.fromiter(self._keys, np.uint64, len(self._keys))

    @property
    def full(self) -> bool:
        """Whether it knows so much that it should forget."""
        return len(self._known) > REMEMBERED

    def of(
        self, flat: NDArray[np.uint16], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of the stems of all texts, one after the other, and where those of each begin."""
        if not len(flat):
            return np.empty(0, np.int32), np.zeros(len(offsets), np.int64)
        first = _begins()[flat]
        first[offsets[:-1][np.diff(offsets) > 0]] = True
        starts = np.flatnonzero(first)
        lengths = np.diff(np.append(starts, len(flat)))
        powers = np.cumprod(np.full(lengths.max(), FACTOR, np.uint64))
        place = np.arange(len(flat)) - np.repeat(starts, lengths)
        hashes = np.add.reduceat((flat.astype(np.uint64) + np.uint64(1)) * powers[place], starts)
        word = self._numbered(flat, starts, lengths, hashes)
        count = np.fromiter(map(len, self._stems), np.int64, len(self._stems))
        stems = np.fromiter(chain.from_iterable(self._stems), np.int32, count.sum())
        begin = np.cumsum(count) - count
        found = stems[serving.spans(begin[word], count[word])]
        ends = np.cumsum(np.append(0, count[word]))
        return found, ends[np.searchsorted(starts, offsets)]

    def _numbered(
        self,
        flat: NDArray[np.uint16],
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64],
        hashes: NDArray[np.uint64],
    ) -> NDArray[np.int32]:
        """The number of each word; those that are new are learnt."""
        place = (hashes >> np.uint64(64 - PLACES)).astype(np.int64)
        word = self._word[place]
        others = np.flatnonzero(self._hash[place] != hashes)
        if not len(others):
            return word
        distinct, at, which = np.unique(hashes[others], return_index=True, return_inverse=True)
        at = others[at]
        numbers = self._spelled(
            distinct.tolist(), [flat[a : a + n] for a, n in zip(starts[at], lengths[at], strict=True)]
        )
        word[others] = numbers[which]
        free = self._hash[place[at]] == 0
        self._word[place[at[free]]], self._hash[place[at[free]]] = numbers[free], distinct[free]
        return word

    def _spelled(self, hashes: list[int], ids: list[NDArray[np.uint16]]) -> NDArray[np.int32]:
        """The numbers of words, of which the ids are given, too."""
        fresh = {one: word.tolist() for one, word in zip(hashes, ids, strict=True) if one not in self._known}
        for one, text in zip(fresh, static.tokenizer().decode_batch([*fresh.values()]), strict=True):
            self._known[one] = len(self._stems)
            keys = map(key, stems(text))
            self._stems.append(tuple(self._keys.setdefault(key, len(self._keys)) for key in keys))
        return np.array([self._known[one] for one in hashes], np.int32)


@dataclass(frozen=True, slots=True)
class Table:
    """A vector for each stem that the corpus has in several texts."""

    stems: NDArray[np.uint64]  # keys, ascending
    rarity: NDArray[np.float32]  # ln(1 + (N − n + ½) / (n + ½))
    table: NDArray[np.float16]
    length: float  # stems of a text, in the mean

    @classmethod
    def read(cls, folder: Path) -> Table:
        """Memory-map the one in a folder; raises `ValueError` and `OSError`."""
        stems, rarity, table, length = (
            serving.read_array(folder / f"{name}.npy") for name in ("stems", "rarity", "table", "length")
        )
        return cls(stems, rarity, table, float(length[0]))

    def write(self, folder: Path) -> None:
        length = np.array([self.length])
        serving.write_arrays(folder, stems=self.stems, rarity=self.rarity, table=self.table, length=length)

    def query(self, wanted: Collection[str]) -> NDArray[np.float32]:
        """The sum of some stems' vectors, each by its rarity; zeros where none is in the table."""
        at = self._places(np.array([key(stem) for stem in wanted], np.uint64))
        at = at[at < len(self.stems)]
        found: NDArray[np.float32] = self.rarity[at] @ self.table[at].astype(np.float32)
        return found

    def pooled(self, tokens: Tokens, words: Words, stop: Stop = NEVER) -> Rounded:
        """The vectors of texts, `(n, d)`."""
        wide = self.table.astype(np.float32)
        rarity = np.append(self.rarity, np.float32(0))  # of stems that are not in the table
        rows = [np.empty((0, wide.shape[1]), np.int16)]
        for found, offsets in _found(tokens, words, stop):
            counts = _counted(self._places(words.keys)[found], offsets, len(rarity))
            _weigh(counts, rarity, self.length)
            rows.append(rounded(static.unit(counts[:, :-1] @ wide)))
            if words.full:
                words.forget()
        return np.concatenate(rows)

    def _places(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Where stems are in the table; one past its end for those that are not."""
        if not len(self.stems):
            return np.zeros(len(keys), np.int64)
        at = np.searchsorted(self.stems, keys).clip(max=len(self.stems) - 1)
        return np.where(self.stems[at] == keys, at, len(self.stems))


def stems(text: str) -> list[str]:
    """The stems of a text's words but for function words; of one without spaces, pairs of characters."""
    found = [terms.stem(word) for word in terms.words(text) if word not in terms.STOP_WORDS]
    return found if text.isascii() else [*found, *terms.spaceless(text)]


@lru_cache(maxsize=1 << 16)
def key(stem: str) -> int:
    """64 bits that stand for a stem."""
    return int.from_bytes(blake2b(stem.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def due(current: Current) -> bool:
    """Whether there are enough texts, and twice as many as when the table was learnt."""
    return current.rows >= standing.LEAST and current.rows >= 2 * current.latent_rows


def renew(folder: Path, current: Current, stop: Stop) -> Current:
    """Learn a table from the texts of all segments, and pool them all by it; returns what is in force."""
    words, serial = Words(), current.serial + 1
    current = replace(current, serial=serial, latent=f"latent-{serial}", latent_rows=current.rows)
    segments = [serving.Tokens.read(folder / name) for name in current.segments]
    table = learnt(_sample(segments), words, stop)
    table.write(folder / current.latent)
    for name, tokens in zip(current.segments, segments, strict=True):
        serving.write_kept(folder / name, current.latent, table.pooled(tokens, words, stop), SCALE)
    return serving.write_current(folder, current)


def learnt(texts: Tokens, words: Words, stop: Stop = NEVER) -> Table:
    """The table of some texts. What is done with goes at once: of 20,000 texts each step takes 20 MB."""
    blocks, total = list(_found(texts, words, stop)), len(texts)
    del texts
    stems = np.concatenate([np.empty(0, np.int32), *(found for found, _ in blocks)])
    offsets = np.cumsum(np.concatenate([np.zeros(1, np.int64), *(np.diff(ends) for _, ends in blocks)]))
    del blocks
    length = len(stems) / max(total, 1)
    keys = words.keys
    there = np.flatnonzero(np.bincount(stems, minlength=len(keys)))
    there = there[np.argsort(keys[there], kind="stable")]
    distinct, at = keys[there], np.zeros(len(keys), np.int32)
    at[there] = np.arange(len(there))
    stems = at[stems]
    rows = _counted(stems, offsets, len(distinct))
    del stems
    spread = np.bincount(rows.indices, minlength=len(distinct))
    kept = np.sort(np.argsort(-spread, kind="stable")[: min(STEMS, int((spread >= FEWEST).sum()))])
    rarity = np.log1p((total - spread + 0.5) / (spread + 0.5)).astype(np.float32)
    _weigh(rows, rarity, length)
    rows = rows[:, kept]
    _set_to_length_one(rows)
    table = leading(rows, DIMS, stop)
    return Table(distinct[kept], rarity[kept], table.astype(np.float16), length)


def leading(rows: csr_array, dims: int, stop: Stop = NEVER) -> Matrix:
    """The leading right singular vectors as columns, best first.

    By subspace iteration from random directions of a fixed seed (Halko et al. 2011, algorithm 4.4).
    """
    width = rows.shape[1]
    start = np.random.default_rng(0).standard_normal((width, min(dims + SPARE, width)))
    basis: Matrix = start.astype(np.float32)
    for _ in range(ROUNDS):
        check(stop)
        basis = orthonormal(rows.T @ (rows @ basis))
    projected = rows @ basis
    _, turned = np.linalg.eigh(projected.T @ projected)
    found: Matrix = basis @ turned[:, ::-1][:, :dims]
    return found


def orthonormal(columns: Matrix) -> Matrix:
    """A basis of what the columns span; columns of zeros for what others span already.

    By the eigenvectors of their products with each other (in float64), which takes a tenth of the time of QR.
    """
    products = np.zeros((columns.shape[1], columns.shape[1]))
    for low in range(0, len(columns), AT_ONCE):
        wide = columns[low : low + AT_ONCE].astype(np.float64)
        products += wide.T @ wide
    values, vectors = np.linalg.eigh(products)
    own = values > values.max(initial=0) * SPANNED
    scale = np.where(own, 1 / np.sqrt(np.where(own, values, 1)), 0)
    found: Matrix = columns @ (vectors * scale).astype(np.float32)
    return found


def rounded(vectors: Matrix) -> Rounded:
    """Unit vectors in parts of SCALE."""
    return np.rint(vectors * SCALE).astype(np.int16)


def wide(rows: NDArray[Any]) -> Matrix:
    """The vectors that were rounded."""
    return rows.astype(np.float32) / np.float32(SCALE)


def _found(tokens: Tokens, words: Words, stop: Stop) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """The stems of texts and where those of each begin, so many texts at a time."""
    for low in range(0, len(tokens), AT_ONCE):
        check(stop)
        part = tokens.offsets[low : low + AT_ONCE + 1]
        yield words.of(tokens.flat[part[0] : part[-1]], part - part[0])


def _sample(segments: Sequence[Tokens]) -> Tokens:
    """At most SAMPLE texts, drawn with a fixed seed."""
    total = sum(map(len, segments))
    drawn = np.sort(np.random.default_rng(0).choice(total, min(total, SAMPLE), replace=False))
    flat, lengths, start = [np.empty(0, np.uint16)], [np.empty(0, np.int64)], 0
    for tokens in segments:
        rows = drawn[(drawn >= start) & (drawn < start + len(tokens))] - start
        count = np.diff(tokens.offsets)[rows]
        flat.append(tokens.flat[serving.spans(tokens.offsets[rows], count)])
        lengths.append(count)
        start += len(tokens)
    ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths]))
    return serving.Tokens(np.concatenate(flat), ends)


def _counted(columns: NDArray[Any], offsets: NDArray[np.int64], width: int) -> csr_array:
    """How often each text has each stem."""
    from scipy.sparse import csr_array

    ones = np.ones(len(columns), np.float32)
    counts = csr_array((ones, columns.astype(np.int32, copy=False), offsets), shape=(len(offsets) - 1, width))
    counts.sum_duplicates()
    return counts


def _weigh(counts: csr_array, rarity: NDArray[np.float32], length: float) -> None:
    """Weigh counts as BM25 does: rarity · tf · (k1 + 1) / (tf + k1 · (1 − b + b · stems / length))."""
    stems_of = counts.sum(axis=1)
    for rows, values, each in _parts(counts):
        tf, stems = counts.data[values], np.repeat(stems_of[rows], each)
        saturated = tf + np.float32(K1) * (1 - B + B * stems / np.float32(max(length, 1)))
        counts.data[values] = tf * np.float32(K1 + 1) / saturated * rarity[counts.indices[values]]


def _set_to_length_one(matrix: csr_array) -> None:
    """Divide each row by its length; one of zeros stays."""
    for rows, values, each in _parts(matrix):
        some = matrix[rows]
        lengths = np.sqrt(some.multiply(some).sum(axis=1))
        matrix.data[values] /= np.repeat(np.where(lengths, lengths, 1), each)


def _parts(matrix: csr_array) -> Iterator[tuple[slice, slice, NDArray[Any]]]:
    """Some rows at a time: which, where their values stand, and how many each has."""
    for low in range(0, matrix.shape[0], AT_ONCE):
        ends = matrix.indptr[low : low + AT_ONCE + 1]
        yield slice(low, low + AT_ONCE), slice(ends[0], ends[-1]), np.diff(ends)


@cache
def _begins() -> NDArray[np.bool_]:
    """Whether each token begins a word: it has a space before it, or is a line break."""
    tokenizer = static.tokenizer()
    pieces = [tokenizer.id_to_token(at) or "" for at in range(static.VOCABULARY)]
    return np.array([piece.startswith("\u2581") or piece == "<0x0A>" for piece in pieces])
