"""Vectors of messages, where somebody has asked for them: one file a model, written as a whole.

It holds those of a day or so, by the ten thousand at the most, so that nothing but numpy is needed. A vector
is that of a message's own text, and no other's: what is deleted goes with its row.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.index.protocols import FEW
from ark_tui.settings.home import checked, read_checked, write_file
from ark_tui.store.changes import Identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.index.protocols import Numbers, Scores, Vector
    from ark_tui.store.conversations import Spoken

COLUMNS = 4


@dataclass(frozen=True)
class Said:
    """The vectors of some chunks of messages. `reached`: the last document that was looked at.

    `rows`: chunk, document, conversation, and the minute since which it is kept, `(4, n)`, in the order of
    conversations and their messages. `vectors`: of unit length, `(n, d)` float16.
    """

    store: Identity
    reached: int
    rows: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def chunks(self) -> Numbers:
        return self._row(0)

    @property
    def documents(self) -> Numbers:
        return self._row(1)

    @property
    def conversations(self) -> Numbers:
        return self._row(2)

    @property
    def minutes(self) -> Numbers:
        return self._row(3)

    def _row(self, number: int) -> Numbers:
        row: Numbers = self.rows[number]
        return row

    def those(self, kept: NDArray[np.bool_]) -> Said:
        """The same with some of the rows."""
        return replace(self, rows=self.rows[:, kept], vectors=self.vectors[kept])

    def of(self, documents: Collection[int]) -> Said:
        """Those of these documents."""
        return self.those(np.isin(self.documents, np.fromiter(documents, np.int64, len(documents))))

    def further(self, reached: int, spoken: Collection[Spoken], vectors: NDArray[np.float32]) -> Said:
        """With more chunks; what has no vector is left out."""
        new = np.array([one[:COLUMNS] for one in spoken], np.int64).reshape(len(spoken), COLUMNS).T
        some = vectors.any(axis=1) if len(new) else np.zeros(0, bool)
        rows = np.concatenate([self.rows, new[:, some]], axis=1)
        order = np.lexsort((rows[0], rows[1], rows[2]))
        every = np.concatenate([self.vectors, vectors[some].astype(np.float16)])
        return replace(self, reached=reached, rows=rows[:, order], vectors=every[order])

    def closeness(self, vector: Vector, share: float) -> Scores:
        """The cosine of each row; that of the text before it in its conversation counts `share` beside it."""
        own = (self._wide @ vector).astype(float)
        if not len(own):
            return own
        before = np.where(self._continued, np.roll(own, 1), own)
        close: Scores = (own + share * before) / (1 + share)
        return close

    @cached_property
    def _wide(self) -> NDArray[np.float32]:
        return self.vectors.astype(np.float32)

    @cached_property
    def _continued(self) -> NDArray[np.bool_]:
        """Whether a row has another one of its conversation before it."""
        return np.concatenate([[False], self.conversations[1:] == self.conversations[:-1]])


def empty(store: Identity, dims: int) -> Said:
    """Of nothing yet."""
    return Said(store, 0, np.empty((COLUMNS, 0), np.int64), np.empty((0, dims), np.float16))


def chance(found: Scores) -> float:
    """What one in a hundred reaches, but at least `FEW`; as `Levels.chance`."""
    last = len(found) - 1
    return float(-np.sort(-found)[max(last // 100, min(FEW, last))])


def write(path: Path, said: Said) -> None:
    """Replace the file."""
    header = {"store": asdict(said.store), "reached": said.reached, "shape": said.vectors.shape}
    data = b"\n".join((json.dumps(header).encode(), said.rows.tobytes() + said.vectors.tobytes()))
    write_file(path, checked(data))


def read(path: Path) -> Said | None:
    """What was written; None where there is nothing, or where it is damaged."""
    data = read_checked(path)
    if data is None:
        return None
    try:
        header, _, rest = data.partition(b"\n")
        about = json.loads(header)
        size, dims = about["shape"]
        rows = np.frombuffer(rest, np.int64, COLUMNS * size).reshape(COLUMNS, size)
        vectors = np.frombuffer(rest, np.float16, size * dims, rows.nbytes).reshape(size, dims)
        return Said(Identity(**about["store"]), int(about["reached"]), rows, vectors)
    except (ValueError, TypeError, KeyError, AttributeError):  # of another program
        return None
