"""Vectors of messages, by the model in use, for as long as messages are in retrieval.

They are computed once requested. From then on, consolidation and searches add vectors of new messages.
Searches do so only with the static model, as a served model may be slow.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.errors import ArkError, Cancelled, IndexDamaged, ModelUnavailable
from ark_tui.domain.memory import MessageVectors
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.secrets import masked
from ark_tui.domain.work import Progress
from ark_tui.embedding import choice, static
from ark_tui.index.follower import alone, busy
from ark_tui.index.protocols import FEW
from ark_tui.index.sql import among
from ark_tui.index.standing import MARK
from ark_tui.index.vectors.rows import BLANK
from ark_tui.index.vectors.table import KEYS, VectorTable, arrow
from ark_tui.memory.conversations import VECTORS
from ark_tui.settings.home import remove
from ark_tui.store import changes, conversations
from ark_tui.store.documents import latest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Clock, Embedder
    from ark_tui.engine.models import ModelRegistry
    from ark_tui.index.words.follower import WordsFollower
    from ark_tui.index.words.messages import MessageWords
    from ark_tui.memory.fused import Near
    from ark_tui.settings import Settings
    from ark_tui.store import Lease, Store
    from ark_tui.store.conversations import Spoken

NAME = "message vectors"
MOST = 20_000  # chunks with vectors, the newest; 10 MB with the static model
AT_ONCE = 1_000  # chunks embedded per write
SOON = 2_000  # new chunks from which on a search no longer embeds them first
WAIT = 60.0  # seconds to wait for another thread that writes the vectors


@dataclass(frozen=True)
class _Model:
    """A model for messages. `ask` returns the vector of a query, or raises `ArkError`."""

    name: str
    embedder: Embedder
    ask: Callable[[str], NDArray[np.float32]]

    @property
    def static(self) -> bool:
        return self.embedder.provider == "static"


@dataclass(frozen=True)
class _Messages:
    """Chunks of messages with their documents, conversations, storage minutes and vectors."""

    chunk: NDArray[np.int64]
    document: NDArray[np.int64]
    conversation: NDArray[np.int64]
    minute: NDArray[np.int64]
    vectors: NDArray[np.float32]

    @classmethod
    def of(cls, table: VectorTable) -> _Messages:
        """Read all chunks with a vector."""
        rows = table.columns(["chunk", "document", "source", "since", "vector"], "embedded")
        conversation = np.array([int(name) for name in rows["source"].to_pylist()], np.int64)
        chunk, document, minute = (rows[name].to_numpy() for name in ("chunk", "document", "since"))
        return cls(chunk, document, conversation, minute, table.matrix(rows["vector"]))


class Meaning:
    """The vectors of the messages of one home. Thread-safe."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
        registry: Callable[[], ModelRegistry | None],
    ) -> None:
        """`embedder`: the static model; `registry`: the served models, None if not configured."""
        self._store, self._settings, self._clock = store, settings, clock
        self._embedder, self._registry = embedder, registry

    # -- creation and deletion ---------------------------------------------------------------------

    def make(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> MessageVectors:
        """Enable vectors of messages and compute the missing ones. Raises `ModelUnavailable`."""
        model = self._model()
        count, made = self._caught_up(model, stop, progress)
        return MessageVectors(model.name, count, made, self._hours)

    def follow(self, stop: Stop = NEVER) -> None:
        """If enabled, embed new messages; after a change of model, embed all anew."""
        if self._wanted():
            self._caught_up(self._model(), stop)

    def drop(self) -> MessageVectors:
        """Disable and delete the vectors of messages."""
        with self._alone():
            gone = sum(VectorTable(folder, 0).count() for folder in self._wanted())
            remove(self._settings.home.message_vectors)
        return MessageVectors("", gone, 0, self._hours, dropped=True)

    def erase(self) -> int:
        """Delete the vectors of deleted or expired messages; return their number."""
        gone = 0
        with self._alone():
            for folder in self._wanted():
                table = VectorTable(folder, 0)
                gone += table.retain("document", self._living(_documents(table)))
        return gone

    # -- a search ----------------------------------------------------------------------------------

    def near(self, text: str, within: Collection[int] | None) -> Near | str:
        """Similarity of messages to a text, or the reason why it is not available.

        `within`: conversations to search, None for all. The reason is empty if vectors are not enabled.
        """
        if not self._wanted():
            return ""
        try:
            try:
                return self._near(text, within)
            except IndexDamaged:
                for folder in self._wanted():
                    VectorTable(folder, 0).drop()
                return self._near(text, within)
        except ArkError as error:
            return f"Messages were searched by their words alone: {error.told}"

    def _near(self, text: str, within: Collection[int] | None) -> Near | str:
        from ark_tui.memory.fused import Near

        model = self._model()
        known, waiting = self._current(model)
        if known is None:
            return "The vectors of messages are of another model; " + VECTORS
        asked = model.ask(text)
        able = known.minute > changes.minutes(self._since)
        if within is not None:
            able &= np.isin(known.conversation, np.fromiter(within, np.int64, len(within)))
        close = (known.vectors[able] @ asked).astype(np.float64)
        if not asked.any() or not len(close):
            return "No message that is asked for has a vector; " + VECTORS
        left = f"{waiting:,} new ones are found by their words only; " + VECTORS if waiting else ""
        profile = self._settings.profiles[self._settings.profile]
        signal = "static" if model.static else "cosine"
        return Near(signal, profile, known.chunk[able], known.document[able], close, _chance(close), left)

    def _current(self, model: _Model) -> tuple[_Messages | None, int]:
        """The current vectors, None if there are none of this model; the number of chunks without a vector.

        The number is at most `SOON`.
        """
        table = self._table(model)
        if not any(folder.name.startswith(model.embedder.fingerprint) for folder in self._wanted()):
            return None, 0
        with self._store.read() as lease:
            start = _last(table)
            waiting = (
                len(conversations.spoken(lease, start, self._since, SOON)) if latest(lease) > start else 0
            )
        if waiting and waiting < SOON and model.static:
            self._caught_up(model, NEVER)
            table, waiting = self._table(model), 0
        return _Messages.of(table), waiting

    # -- inside ------------------------------------------------------------------------------------

    def _caught_up(self, model: _Model, stop: Stop, progress: OnProgress = ignore) -> tuple[int, int]:
        """Embed new chunks and delete outdated vectors; return the total and the number of new ones."""
        table, made = self._table(model), 0
        with self._alone():
            for other in self._wanted() - {table.folder}:
                remove(other)
            table.lance  # noqa: B018  (creates the table, which marks vectors as enabled)
            with self._store.read() as lease:
                waiting = conversations.spoken(lease, _last(table), self._since, MOST)
            for begin in range(0, len(waiting), AT_ONCE):
                check(stop)
                batch = waiting[begin : begin + AT_ONCE]
                vectors = model.embedder.embed_documents([masked(one.text)[0] for one in batch], stop)
                made += int(vectors.any(axis=1).sum())
                keys = np.zeros((len(batch), KEYS), np.uint64)
                table.write(arrow([*map(_row, batch)], vectors, keys, table.dims), new=True)
                progress(Progress(NAME, begin + len(batch), len(waiting)))
            living = self._living(_documents(table))
            if len(living) > MOST:
                living = np.sort(living)[-MOST:]
            gone = np.setdiff1d(_documents(table), living)
            if len(gone):
                table.lance.delete(among("document", gone.tolist()))
            table.tidy()
        return table.count(), made

    def _living(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """The given messages that are neither deleted nor expired."""
        with self._store.read() as lease:
            return np.array(conversations.kept(lease, documents.tolist(), self._since), np.int64)

    def _table(self, model: _Model) -> VectorTable:
        with self._store.read() as lease:
            identity = changes.identity(lease)
        name = f"{model.embedder.fingerprint}-{identity.store[:8]}-{identity.epoch[:8]}.lance"
        return VectorTable(self._settings.home.message_vectors / name, model.embedder.dims)

    def _model(self) -> _Model:
        """The model in use. Raises `ModelUnavailable`."""
        registry = self._registry()
        model = registry.in_force() if registry else None
        if registry and model:
            ask = partial(_served, registry)
            return _Model(model.name, choice.embedder(model, self._settings), ask)
        embedder = self._embedder()
        if embedder is None:
            raise ModelUnavailable("The embedded model is not installed.", "Install `wordllama`.")
        return _Model("static", embedder, lambda text: static.pool([static.of_query(text)])[0])

    def _wanted(self) -> set[Path]:
        """The existing tables: none if not enabled; two during a change of model, else one."""
        return {*self._settings.home.message_vectors.glob("*.lance")}

    @property
    def _hours(self) -> float:
        return self._settings.working_hours

    @property
    def _since(self) -> datetime:
        """The time before which messages are expired."""
        return self._clock.now().replace(tzinfo=None) - timedelta(hours=self._hours)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with alone(self._store, NAME.replace(" ", "-"), WAIT) as mine:
            if not mine:
                raise busy(NAME)
            yield


def _row(one: Spoken) -> dict[str, object]:
    """The table row of a chunk; its source is the conversation."""
    return BLANK | {
        "chunk": one.chunk, "document": one.document, "source": str(one.conversation), "since": one.minute,
        "embedded": True,
    }  # fmt: skip


def _documents(table: VectorTable) -> NDArray[np.int64]:
    return (
        np.unique(table.columns(["document"])["document"].to_numpy())
        if table.exists()
        else np.empty(0, np.int64)
    )


def _last(table: VectorTable) -> int:
    """The last message in the table."""
    return int(_documents(table).max(initial=0))


def _chance(found: NDArray[np.float64]) -> float:
    """The similarity reached by chance: by 1 % of the chunks, at least `FEW`; as `Levels.chance`."""
    last = len(found) - 1
    return float(-np.sort(-found)[max(last // 100, min(FEW, last))])


def _served(registry: ModelRegistry, text: str) -> NDArray[np.float32]:
    """The vector of a query by the served model."""
    served = registry.served()
    if served is None:
        raise ModelUnavailable("The model was changed meanwhile.", "Search again.")
    return served.queries.ask(text).within(served.budget)


NEXT_LOOK = 5_000  # new messages after which the thread starts without a search
MOST_MESSAGES = 20_000  # most chunks that a search indexes first
PATIENCE = 0.1  # seconds that a search waits for the thread
WRITTEN_WITHIN = 60.0  # seconds to wait for another thread that writes the index


class MessageIndex:
    """The word index of messages of one home. Thread-safe.

    While many messages are being indexed, a search misses the remaining ones: `Words.waiting` counts them.
    `afterwards` wraps each update and turns its errors into notices.
    """

    def __init__(
        self,
        folder: Path,
        words: Callable[[], MessageWords],
        follower: Callable[[], WordsFollower],
        afterwards: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._mark = folder / MARK
        self._words = words
        self._follower = follower
        self._afterwards = afterwards
        self._new = 0  # messages stored since the thread began last
        self._hold = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def added(self, count: int) -> None:
        """Count stored messages; start indexing when there are many."""
        self._new += count
        if self._new >= NEXT_LOOK:
            self._begin()

    def state(self) -> tuple[int, int]:
        """The mtime and inode of the index mark, which change with every write."""
        try:
            mark = self._mark.stat()
        except OSError:
            return 0, 0
        return mark.st_mtime_ns, mark.st_ino

    def behind(self, lease: Lease) -> int:
        """The number of chunks that are not indexed yet."""
        return self._follower().behind(lease)

    def caught_up(self, behind: int | None = None) -> MessageWords:
        """Update the index and return it; its `waiting` counts missing chunks. `behind`: if known."""
        follower, words = self._follower(), self._words()
        waiting = follower.state().behind if behind is None else behind
        if waiting:  # checked first, as an update reopens the index
            if waiting > MOST_MESSAGES:
                self._begin().join(PATIENCE)
            else:
                with self._afterwards():
                    follower.sync(wait=WRITTEN_WITHIN)
            waiting = follower.state().behind
        words.refresh()
        words.waiting = waiting
        return words

    def close(self) -> None:
        """Stop the thread; indexing resumes the next time."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> threading.Thread:
        """The indexing thread; starts one if none is running."""
        with self._hold:
            if self._thread is None or not self._thread.is_alive():
                self._new = 0
                self._thread = threading.Thread(target=self._run, name="messages", daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        with suppress(Cancelled), self._afterwards():
            self._follower().sync(self._over)
