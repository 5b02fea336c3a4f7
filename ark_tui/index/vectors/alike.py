"""Near-duplicates: texts that say the same in almost the same words (requirement I10).

Two texts are near-duplicates when the cosine of their vectors is ≥ 0.95, their word 3-shingles overlap by
Jaccard ≥ 0.9, and they name the same numbers and identifiers: by cosine alone a static model takes the
353rd Regiment for the 354th. `shingles` finds those that may be. Where the cosine alone decides, what is new
is compared with everything by products of blocks, first over the leading dimensions only: unit vectors with a
cosine of 0.95 differ by at most √0.1 in any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ark_tui.domain.protocols import Stop, check
from ark_tui.index.vectors import shingles
from ark_tui.index.words.analysis import names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.vectors.rows import Rows

    Pairs = NDArray[np.int32]  # (n, 2), two rows of the vectors each
    Met = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]

Texts: TypeAlias = Callable[[Sequence[int]], dict[int, str]]

COSINE = 0.95
LEADING = 64  # dimensions of the first look
CLOSEST = 8  # others that a text is compared with by its words, best cosine first
AT_ONCE = 1024  # rows on either side of a product of blocks
ROUNDING = 1e-4
DENSE = 1 / 16  # of the pairs of two blocks near at the first look: one product of all is cheaper
PAIRS = 1 << 14  # of which cosines are worked out at once
MOST_MET = 1 << 19  # pairs that are kept, beside a few of each row, until the closest are picked
REMEMBERED = 10_000  # texts that are kept between comparisons


def close(segments: Sequence[Rows], fresh: NDArray[np.int64], live: NDArray[np.bool_], stop: Stop) -> Pairs:
    """Pairs of a fresh row and another live one with cosine ≥ 0.95, each once, the closest few of each row.

    `fresh` ascends and is live; `live` runs over the rows of all segments.
    """
    if not len(fresh):
        return np.empty((0, 2), np.int32)
    is_fresh = np.zeros(len(live), bool)
    is_fresh[fresh] = True
    best = _Best(fresh, _picked(segments, fresh))
    for start, block in _blocks(segments):
        check(stop)
        here = slice(start, start + len(block))
        if live[here].any():
            best.meet(np.arange(start, start + len(block)), block, live[here], is_fresh[here])
    return best.pairs()


class _Best:
    """The closest others of each fresh row, as far as they have been met."""

    def __init__(self, fresh: NDArray[np.int64], vectors: Matrix) -> None:
        self._fresh = fresh
        self._vectors = vectors
        self._leading = _leading(vectors, half_first=True)
        self._met: list[Met] = []  # place among the fresh rows, row of the other, cosine
        self._count = 0

    def meet(
        self, numbers: NDArray[np.int64], block: Matrix, live: NDArray[np.bool_], fresh: NDArray[np.bool_]
    ) -> None:
        """Hold all fresh rows against some rows of the corpus."""
        leading = _leading(block, half_first=False)
        last_fresh = int(numbers[fresh].max(initial=-1))
        for low in range(0, len(self._fresh), AT_ONCE):
            rows = self._fresh[low : low + AT_ONCE]
            if numbers[0] >= rows[-1] and fresh.all():
                continue
            coarse = self._leading[low : low + AT_ONCE] @ leading.T
            if last_fresh >= rows[0]:
                coarse[_twice(rows, numbers, fresh)] = -1
            near = (coarse >= COSINE - 1 - ROUNDING) & live
            if np.count_nonzero(near) > DENSE * near.size:
                self._take_closest(low, numbers, block, near)
            else:
                place, column = np.nonzero(near)
                self._take(low + place, numbers[column], block, column)

    def pairs(self) -> Pairs:
        """The later of two rows comes first, if both are fresh."""
        self._trim()
        place, other, _ = self._met[0]
        return np.stack([self._fresh[place], other], axis=1).astype(np.int32)

    def _take(
        self, place: NDArray[np.int64], other: NDArray[np.int64], block: Matrix, column: NDArray[np.int64]
    ) -> None:
        """Of pairs that may be close, those that are."""
        for low in range(0, len(place), PAIRS):
            here = slice(low, low + PAIRS)
            cosine = np.einsum("ij,ij->i", self._vectors[place[here]], block[column[here]])
            close = cosine >= COSINE
            self._keep(place[here][close], other[here][close], cosine[close])

    def _take_closest(
        self, low: int, numbers: NDArray[np.int64], block: Matrix, near: NDArray[np.bool_]
    ) -> None:
        """Of the rows from `low` on the closest few each: where most are near, one product is cheaper."""
        cosine = np.where(near, self._vectors[low : low + len(near)] @ block.T, -1)
        few = min(CLOSEST, cosine.shape[1])
        column = np.argpartition(-cosine, few - 1, axis=1)[:, :few]
        best = np.take_along_axis(cosine, column, axis=1)
        place, nth = np.nonzero(best >= COSINE)
        self._keep(low + place, numbers[column[place, nth]], best[place, nth])

    def _keep(self, place: NDArray[np.int64], other: NDArray[np.int64], cosine: NDArray[np.float32]) -> None:
        self._met.append((place, other, cosine))
        self._count += len(place)
        if self._count > MOST_MET + 2 * CLOSEST * len(self._fresh):
            self._trim()

    def _trim(self) -> None:
        """Keep the closest few of each row."""
        empty = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        place, other, cosine = (np.concatenate(part) for part in zip(empty, *self._met, strict=True))
        kept = _closest(place, cosine)
        self._met = [(place[kept], other[kept], cosine[kept])]
        self._count = len(kept)


def _closest(row: NDArray[Any], cosine: NDArray[np.float32]) -> NDArray[np.int64]:
    """The places of the closest few of each row, rows ascending."""
    order = np.lexsort((-cosine, row))
    row = row[order]
    return order[np.arange(len(row)) - np.searchsorted(row, row, side="left") < CLOSEST]


def _twice(
    rows: NDArray[np.int64], numbers: NDArray[np.int64], fresh: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Where a fresh row meets itself, or one that will meet it."""
    met: NDArray[np.bool_] = fresh & (numbers >= rows[:, None])
    return met


def near(segments: Sequence[Rows], pairs: Pairs) -> Pairs:
    """Those pairs of rows whose cosine is ≥ 0.95, the closest few of each first row. `pairs` ascends."""
    cosine = np.empty(len(pairs), np.float32)
    for low in range(0, len(pairs), PAIRS):
        here = slice(low, low + PAIRS)
        rows, place = np.unique(pairs[here].astype(np.int64), return_inverse=True)
        vectors = _picked(segments, rows)
        one, other = place.reshape(-1, 2).T
        cosine[here] = np.einsum("ij,ij->i", vectors[one], vectors[other])
    pairs, cosine = pairs[cosine >= COSINE], cosine[cosine >= COSINE]
    return pairs[_closest(pairs[:, 0], cosine)]


class Wording(NamedTuple):
    """What a text is compared with another by; shingles as ascending hashes."""

    numbers: frozenset[str]
    names: frozenset[str]
    shingles: NDArray[np.uint64]

    @classmethod
    def of(cls, text: str) -> Wording:
        return cls(shingles.numbers(text), frozenset(names(text)), shingles.of([text]).hashes)

    def same(self, other: Wording) -> bool:
        """Whether two texts are the same but for a few words: 3-shingles, numbers, identifiers."""
        a, b = self.shingles, other.shingles
        if min(len(a), len(b)) < shingles.OVERLAP * max(len(a), len(b)):
            return False
        if self.numbers != other.numbers or self.names != other.names:
            return False
        shared = len(np.intersect1d(a, b, assume_unique=True))
        return shared >= shingles.OVERLAP * (len(a) + len(b) - shared)


def verified(pairs: Pairs, texts: Texts) -> Pairs:
    """Those pairs whose texts are the same but for a few words. `texts`: of rows, by row."""
    kept = [False] * len(pairs)
    known: dict[int, str] = {}
    wording: dict[int, Wording] = {}

    def worded(row: int) -> Wording:
        if row not in wording:
            wording[row] = Wording.of(known[row])
        return wording[row]

    for start in range(0, len(pairs), AT_ONCE):
        part = pairs[start : start + AT_ONCE].tolist()
        if len(known) > REMEMBERED:
            known, wording = {}, {}
        if missing := {row for pair in part for row in pair}.difference(known):
            known |= texts(sorted(missing))
        for place, (a, b) in enumerate(part, start):
            there = a in known and b in known
            kept[place] = there and (known[a] == known[b] or worded(a).same(worded(b)))
    mask = np.array(kept, bool)
    found: Pairs = pairs[mask]
    return found


def groups(pairs: Pairs, chunk: NDArray[np.int64], row: NDArray[np.int32]) -> NDArray[np.int64]:
    """`(n, 2)`: chunks that repeat an earlier one, ascending, each with the first of its kind.

    Chunks of the same row have the same text. `chunk` ascends.
    """
    several = np.bincount(row[row >= 0], minlength=1) > 1
    several[pairs.ravel()] = True
    involved, at = np.flatnonzero(several), np.flatnonzero((row >= 0) & several[row])
    kind = _kinds(pairs, involved)[np.searchsorted(involved, row[at])]
    _, first, inverse = np.unique(kind, return_index=True, return_inverse=True)
    leader = chunk[at[first]][inverse]
    repeats = chunk[at] != leader
    return np.stack([chunk[at][repeats], leader[repeats]], axis=1)


def _kinds(pairs: Pairs, involved: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each row, the same for rows that pairs connect."""
    parent = list(range(len(involved)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for a, b in np.searchsorted(involved, pairs).tolist():
        parent[root(a)] = root(b)
    return np.array([root(at) for at in range(len(parent))], np.int64)


def _blocks(segments: Sequence[Rows]) -> Iterator[tuple[int, Matrix]]:
    start = 0
    for segment in segments:
        for low in range(0, len(segment), AT_ONCE):
            yield start + low, segment[low : low + AT_ONCE]
        start += len(segment)


def _picked(segments: Sequence[Rows], rows: NDArray[np.int64]) -> Matrix:
    """The vectors of ascending rows."""
    picked, start = [], 0
    for segment in segments:
        inside = rows[(rows >= start) & (rows < start + len(segment))] - start
        picked.append(segment[inside])
        start += len(segment)
    return np.concatenate(picked)


def _leading(vectors: Matrix, *, half_first: bool) -> Matrix:
    """The leading dimensions, and two more that make a product −½ × the squared distance in them."""
    head = vectors[:, :LEADING]
    half = -0.5 * np.einsum("ij,ij->i", head, head)[:, None]
    ones = np.ones_like(half)
    return np.hstack([head, half, ones] if half_first else [head, ones, half])
