"""Measures of a corpus by workers of a cluster, who are handed its vectors in pieces and work on each.

What is made of a piece is made by the functions that make it in this process (`ark_tui/analysis`). A piece is
handed over once, into Ray's own store, as the numbers that its vectors are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ark_tui.analysis.neighbours import compared
from ark_tui.engine.workers import at_worker
from ark_tui.version import VERSION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.analysis.blocks import Blocks
    from ark_tui.analysis.neighbours import Comparison, Found
    from ark_tui.domain.protocols import Matrix
    from ark_tui.engine.workers import Workers

R = TypeVar("R")


class Pieces:
    """The pieces that workers have, once there is something to measure."""

    def __init__(self, workers: Workers) -> None:
        self._workers, self._begun = workers, False

    def begin(self) -> None:
        """Have the workers from now on. Raises `ArkError`."""
        if not self._begun:
            self._workers.begin(able, VERSION)
            self._begun = True

    def blocks(
        self, rows: Callable[[NDArray[np.int64]], Matrix], at: NDArray[np.int64], size: int, here: Blocks
    ) -> Blocks:
        """The vectors at some places, in blocks of at most `size`; `here`: the same, before workers begin."""
        held: dict[int, Any] = {}

        def piece(start: int) -> tuple[int, Any]:
            if start not in held:
                held[start] = self._workers.hold(rows(at[start : start + size]))
            return start, held[start]

        def each(work: Callable[[int, Matrix], R]) -> Iterator[R]:
            if not self._begun:
                return here(work)
            return self._workers.each(partial(_unpacked, work), map(piece, range(0, len(at), size)))

        return each

    def compare(
        self, vectors: Matrix, k: int, groups: Sequence[NDArray[np.int64]], work: Sequence[Comparison]
    ) -> Iterator[Found]:
        """Compare rows of some groups: see `Compare`."""
        held = [self._workers.hold((rows, vectors[rows])) for rows in groups]
        return self._workers.each(
            partial(compared, k), ((part, *(held[n] for n in near)) for part, near in work)
        )


def able(version: str) -> None:
    """Raise `ArkError` where this worker cannot do the work."""
    with at_worker(version):
        pass


def _unpacked(work: Callable[[int, Matrix], R], start: int, rows: Matrix) -> R:
    return work(start, rows)
