"""Keeps the near-duplicates among the serving files current, from one publication to the next.

Everything here follows from the live chunks: what is written is taken up again only to save comparing
what has been compared. `alike-N/` holds `pairs.npy`, two rows each, and `groups.npy`, see `alike.groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ark_tui.index.vectors import alike, rows, serving
from ark_tui.store import Store, changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Stop
    from ark_tui.index.vectors.serving import ChunkMap, Current

Rule = Literal["strict", "cosine", "off"]


class Duplicates:
    """The near-duplicates as of one publication, and how to bring them to the next."""

    def __init__(self, store: Store, folder: Path, rule: Rule) -> None:
        self._store = store
        self._folder = folder
        self._rule = rule
        self.found = 0  # chunks that turned out to repeat another document's, for the report

    def renew(self, before: Current, now: Current, chunks: ChunkMap, stop: Stop) -> str:
        """Write those of the live chunks, given those of the last publication; returns the folder's name."""
        if self._rule == "off":
            return ""
        old_rows, old_pairs, old_groups = self._read(before)
        live = np.zeros(now.rows, bool)
        live[chunks.row[chunks.row >= 0]] = True
        fresh = live.copy()
        fresh[old_rows[old_rows >= 0]] = False
        segments = [rows.own([self._folder / name]) for name in now.segments]
        pairs = alike.close(segments, np.flatnonzero(fresh), live, stop)
        if self._rule == "strict":
            pairs = alike.verified(pairs, self._texts(now, chunks))
        pairs = np.concatenate([old_pairs[live[old_pairs].all(axis=1)], pairs])
        groups = alike.groups(pairs, chunks.chunk, chunks.row)
        name = f"alike-{now.serial}"
        serving.write_arrays(self._folder / name, pairs=pairs, groups=groups)
        self.found += _repeats_of_others(groups, old_groups, chunks)
        return name

    def _read(self, before: Current) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """The rows that have been compared with each other, the pairs among them, and the groups."""
        if not before.alike:
            return np.empty(0, np.int32), np.empty((0, 2), np.int32), np.empty((0, 2), np.int64)
        rows = serving.read_array(self._folder / before.chunks / "row.npy")
        folder = self._folder / before.alike
        return rows, serving.read_array(folder / "pairs.npy"), serving.read_array(folder / "groups.npy")

    def _texts(self, now: Current, chunks: ChunkMap) -> alike.Texts:
        """Looks up the texts of rows; that of a chunk which has changed since is left out."""
        order = np.argsort(chunks.row, kind="stable")
        sorted_rows = chunks.row[order]
        hashes = [serving.read_array(self._folder / name / "hashes.npy") for name in now.segments]
        keys = np.concatenate([*hashes, np.empty(0, np.uint64)])

        def texts(rows: Sequence[int]) -> dict[int, str]:
            places = order[np.searchsorted(sorted_rows, rows)]
            numbers: list[int] = chunks.chunk[places].tolist()
            with self._store.read() as lease:
                known = changes.texts(lease, numbers)
            found = ((row, known.get(number)) for row, number in zip(rows, numbers, strict=True))
            return {
                row: text
                for row, one in found
                if one
                for key, text in [one]
                if int(key[:16], 16) == keys[row]
            }

        return texts


def _repeats_of_others(groups: NDArray[np.int64], before: NDArray[np.int64], chunks: ChunkMap) -> int:
    """How many chunks have become repetitions of a chunk of another document."""
    fresh = groups[~np.isin(groups[:, 0], before[:, 0])]
    owner = chunks.document[np.searchsorted(chunks.chunk, fresh)]
    return int((owner[:, 0] != owner[:, 1]).sum()) if len(fresh) else 0
