"""Keeps the near-duplicates among the serving files current, from one publication to the next.

Everything here follows from the live chunks: what is written is taken up again only to save comparing
what has been compared. `alike-N/` holds `pairs.npy`, two rows each, and `groups.npy`, see `alike.groups`;
`shingles-N.npy` ascending keys of rows, see `shingles`, also of rows that no chunk has any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ark_tui.domain.protocols import check
from ark_tui.index.vectors import alike, serving, shingles
from ark_tui.index.vectors.rows import own
from ark_tui.store import Store, changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Stop
    from ark_tui.index.vectors.serving import ChunkMap, Current
    from ark_tui.index.vectors.shingles import Keys

NONE = np.empty(0, np.int32)

Rule = Literal["strict", "cosine", "off"]


class Duplicates:
    """The near-duplicates as of one publication, and how to bring them to the next.

    `begin` with what was published last, `take` the texts that come, `renew` when their vectors are written.
    """

    def __init__(self, store: Store, folder: Path, rule: Rule) -> None:
        self._store = store
        self._folder = folder
        self._rule = rule
        self.begin(serving.Current())
        self.found = 0  # chunks that turned out to repeat another document's, for the report

    def begin(self, current: Current) -> None:
        """Start from what is published, letting go of what was taken and never published."""
        row = serving.read_array(self._folder / current.chunks / "row.npy") if current.chunks else NONE
        self._served = _having(row, current.rows)  # by row: whether a chunk had it at the last publication
        self._taken: set[int] = set()  # rows since then
        self._kept: list[Keys] = []
        self._asked: list[Keys] = []
        self._pairs = serving.read_pairs(self._folder, current)
        self._groups = serving.read_groups(self._folder, current)

    def take(self, texts: dict[int, str]) -> None:
        """Note what the texts of some rows share with others."""
        new = [row for row in texts if row not in self._taken and not self._has(row)]
        if self._rule != "strict" or not new:
            return
        self._taken.update(new)
        for start in range(0, len(new), shingles.AT_ONCE):
            rows = new[start : start + shingles.AT_ONCE]
            kept, asked = shingles.keys([texts[row] for row in rows], np.array(rows))
            self._kept.append(kept)
            self._asked.append(asked)

    def _has(self, row: int) -> bool:
        return row < len(self._served) and bool(self._served[row])

    def renew(self, now: Current, chunks: ChunkMap, stop: Stop) -> Current:
        """Write those of the live chunks; returns what is to be published, with their names."""
        if self._rule == "off":
            return now
        live = _having(chunks.row, now.rows)
        fresh = live.copy()
        fresh[np.flatnonzero(self._served)] = False
        segments = [own([self._folder / name]) for name in now.segments]
        if self._rule == "strict":
            now = replace(now, shingles=self._merged(now))
            pairs = alike.near(segments, self._candidates(now, live, fresh, stop))
            pairs = alike.verified(pairs, self._texts(now, chunks)) if len(pairs) else pairs
        else:
            pairs = alike.close(segments, np.flatnonzero(fresh), live, stop)
        pairs = np.concatenate([self._pairs[live[self._pairs].all(axis=1)], pairs])
        groups = alike.groups(pairs, chunks.chunk, chunks.row)
        now = replace(now, alike=f"alike-{now.serial}")
        serving.write_arrays(self._folder / now.alike, pairs=pairs, groups=groups)
        self.found += _repeats_of_others(groups, self._groups, chunks)
        self.begin(now)
        return now

    def _merged(self, now: Current) -> tuple[str, ...]:
        """The files of keys, with what was taken since: each is more than twice as large as the next.

        So a key is written anew only as often as the corpus doubles.
        """
        keys = shingles.distinct(self._kept)
        names = [*now.shingles] if len(keys) else []
        while names and self._size(names[-1]) < 2 * len(keys):
            keys = shingles.distinct([serving.read_array(self._folder / f"{names.pop()}.npy"), keys])
        if not len(keys):
            return now.shingles
        name = f"shingles-{now.serial}"
        serving.save(self._folder / f"{name}.npy", keys)
        return (*names, name)

    def _size(self, name: str) -> int:
        return len(serving.read_array(self._folder / f"{name}.npy"))

    def _candidates(
        self, now: Current, live: NDArray[np.bool_], fresh: NDArray[np.bool_], stop: Stop
    ) -> NDArray[np.int32]:
        """Pairs of a fresh row and another live one that share a key, each once, the later first."""
        files = [serving.read_array(self._folder / f"{name}.npy") for name in now.shingles]
        found: list[Keys] = []
        for asked in self._asked:
            check(stop)
            wanted = asked[fresh[shingles.rows(asked)]]
            found.append(shingles.meeting(wanted, files, live))
        pairs = shingles.distinct(found)
        return np.stack([pairs >> shingles.ROW, shingles.rows(pairs)], axis=1).astype(np.int32)

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


def _having(row: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
    """By row, whether a chunk has it."""
    there = np.zeros(count, bool)
    there[row[row >= 0]] = True
    return there


def _repeats_of_others(groups: NDArray[np.int64], before: NDArray[np.int64], chunks: ChunkMap) -> int:
    """How many chunks have become repetitions of a chunk of another document."""
    fresh = groups[~np.isin(groups[:, 0], before[:, 0])]
    owner = chunks.document[np.searchsorted(chunks.chunk, fresh)]
    return int((owner[:, 0] != owner[:, 1]).sum()) if len(fresh) else 0
