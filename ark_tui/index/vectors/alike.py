"""Near-duplicates: texts that say the same in almost the same words (requirement I10).

Two texts are near-duplicates when the cosine of their vectors is ≥ 0.95, their word 3-shingles overlap by
Jaccard ≥ 0.9, and they name the same numbers and identifiers: by cosine alone a static model takes the
353rd Regiment for the 354th. What is new is compared with everything by products of blocks, first over the
leading dimensions only: unit vectors with a cosine of 0.95 differ by at most √0.1 in any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.protocols import Stop, check
from ark_tui.index.words.analysis import IDENTIFIER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

    Pairs = NDArray[np.int32]  # (n, 2), two rows of the vectors each

Texts: TypeAlias = Callable[[Sequence[int]], dict[int, str]]

COSINE = 0.95
OVERLAP = 0.9  # least Jaccard of the 3-shingles
SHINGLE = 3  # words
LEADING = 64  # dimensions of the first look
CLOSEST = 8  # others that a text is compared with by its words, best cosine first
AT_ONCE = 1024  # rows on either side of a product of blocks
ROUNDING = 1e-4

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def close(segments: Sequence[Matrix], fresh: NDArray[np.int64], live: NDArray[np.bool_], stop: Stop) -> Pairs:
    """Pairs of a fresh row and another live one with cosine ≥ 0.95, each once, the closest few of each row.

    `fresh` ascends and is live; `live` runs over the rows of all segments.
    """
    import numpy as np

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
        import numpy as np

        self._fresh = fresh
        self._vectors = vectors
        self._leading = _leading(vectors, half_first=True)
        self._cosine = np.full((len(fresh), CLOSEST), -1, np.float32)
        self._other = np.zeros((len(fresh), CLOSEST), np.int64)

    def meet(
        self, numbers: NDArray[np.int64], block: Matrix, live: NDArray[np.bool_], fresh: NDArray[np.bool_]
    ) -> None:
        """Hold all fresh rows against some rows of the corpus."""
        import numpy as np

        leading = _leading(block, half_first=False)
        last_fresh = int(numbers[fresh].max(initial=-1))
        for low in range(0, len(self._fresh), AT_ONCE):
            rows = self._fresh[low : low + AT_ONCE]
            if numbers[0] >= rows[-1] and fresh.all():
                continue
            coarse = self._leading[low : low + AT_ONCE] @ leading.T
            if last_fresh >= rows[0]:
                coarse[_twice(rows, numbers, fresh)] = -1
            near = low + np.flatnonzero(coarse.max(axis=1) >= COSINE - 1 - ROUNDING)
            if len(near):
                exact = self._vectors[near] @ block.T
                exact[:, ~live] = -1
                exact[_twice(self._fresh[near], numbers, fresh)] = -1
                self._take(near, numbers, exact)

    def pairs(self) -> Pairs:
        """The later of two rows comes first, if both are fresh."""
        import numpy as np

        place, column = np.nonzero(self._cosine >= COSINE)
        return np.stack([self._fresh[place], self._other[place, column]], axis=1).astype(np.int32)

    def _take(self, near: NDArray[np.int64], numbers: NDArray[np.int64], cosine: Matrix) -> None:
        import numpy as np

        cosines = np.hstack([self._cosine[near], cosine])
        others = np.hstack([self._other[near], np.broadcast_to(numbers, cosine.shape)])
        best = np.argpartition(-cosines, CLOSEST - 1, axis=1)[:, :CLOSEST]
        self._cosine[near] = np.take_along_axis(cosines, best, axis=1)
        self._other[near] = np.take_along_axis(others, best, axis=1)


def _twice(
    rows: NDArray[np.int64], numbers: NDArray[np.int64], fresh: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Where a fresh row meets itself, or one that will meet it."""
    met: NDArray[np.bool_] = fresh & (numbers >= rows[:, None])
    return met


def same(one: str, other: str) -> bool:
    """Whether two texts are the same but for a few words: 3-shingles, numbers, identifiers."""
    if set(_NUMBER.findall(one)) != set(_NUMBER.findall(other)):
        return False
    if set(IDENTIFIER.findall(one)) != set(IDENTIFIER.findall(other)):
        return False
    a, b = _shingles(one), _shingles(other)
    return len(a & b) >= OVERLAP * len(a | b)


def verified(pairs: Pairs, texts: Texts) -> Pairs:
    """Those pairs whose texts are the same but for a few words. `texts`: of rows, by row."""
    import numpy as np

    kept = [False] * len(pairs)
    for start in range(0, len(pairs), AT_ONCE):
        part = pairs[start : start + AT_ONCE].tolist()
        known = texts(sorted({row for pair in part for row in pair}))
        for place, (a, b) in enumerate(part, start):
            kept[place] = a in known and b in known and same(known[a], known[b])
    mask = np.array(kept, bool)
    found: Pairs = pairs[mask]
    return found


def groups(pairs: Pairs, chunk: NDArray[np.int64], row: NDArray[np.int32]) -> NDArray[np.int64]:
    """`(n, 2)`: chunks that repeat an earlier one, ascending, each with the first of its kind.

    Chunks of the same row have the same text. `chunk` ascends.
    """
    import numpy as np

    shared, count = np.unique(row[row >= 0], return_counts=True)
    involved = np.union1d(shared[count > 1], pairs.ravel())
    at = np.flatnonzero(np.isin(row, involved))
    kind = _kinds(pairs, involved)[np.searchsorted(involved, row[at])]
    _, first, inverse = np.unique(kind, return_index=True, return_inverse=True)
    leader = chunk[at[first]][inverse]
    repeats = chunk[at] != leader
    return np.stack([chunk[at][repeats], leader[repeats]], axis=1)


def _kinds(pairs: Pairs, involved: NDArray[np.int32]) -> NDArray[np.int64]:
    """A number for each row, the same for rows that pairs connect."""
    import numpy as np

    parent = list(range(len(involved)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for a, b in np.searchsorted(involved, pairs).tolist():
        parent[root(a)] = root(b)
    return np.array([root(at) for at in range(len(parent))], np.int64)


def _blocks(segments: Sequence[Matrix]) -> Iterator[tuple[int, Matrix]]:
    start = 0
    for segment in segments:
        for low in range(0, len(segment), AT_ONCE):
            yield start + low, segment[low : low + AT_ONCE]
        start += len(segment)


def _picked(segments: Sequence[Matrix], rows: NDArray[np.int64]) -> Matrix:
    """The vectors of ascending rows."""
    import numpy as np

    picked, start = [], 0
    for segment in segments:
        inside = rows[(rows >= start) & (rows < start + len(segment))] - start
        picked.append(segment[inside])
        start += len(segment)
    return np.concatenate(picked)


def _leading(vectors: Matrix, *, half_first: bool) -> Matrix:
    """The leading dimensions, and two more that make a product −½ × the squared distance in them."""
    import numpy as np

    head = vectors[:, :LEADING]
    half = -0.5 * np.einsum("ij,ij->i", head, head)[:, None]
    ones = np.ones_like(half)
    return np.hstack([head, half, ones] if half_first else [head, ones, half])


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    size = min(SHINGLE, max(len(words), 1))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}
