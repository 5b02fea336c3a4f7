"""Messages by meaning: their vectors, of the model in force, for as long as messages are in retrieval.

They are made where somebody has asked for them once; from then on consolidation and searches take up what
was said since. Searches do so only with the model that is always there: another may take its time.
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
MOST = 20_000  # chunks that have one, the last; 10 MB of the embedded model
AT_ONCE = 1_000  # chunks that are embedded before what has been is kept
SOON = 2_000  # chunks, fewer of which a search takes up before it answers
WAIT = 60.0  # seconds for another thread that is writing them


@dataclass(frozen=True)
class _Model:
    """A model as messages need it. `ask` gives the vector of a query, or raises `ArkError`."""

    name: str
    embedder: Embedder
    ask: Callable[[str], NDArray[np.float32]]

    @property
    def static(self) -> bool:
        return self.embedder.provider == "static"


@dataclass(frozen=True)
class _Messages:
    """Chunks of messages with their conversations, the minute since which each is kept, and vectors."""

    chunk: NDArray[np.int64]
    document: NDArray[np.int64]
    conversation: NDArray[np.int64]
    minute: NDArray[np.int64]
    vectors: NDArray[np.float32]

    @classmethod
    def of(cls, table: VectorTable) -> _Messages:
        """All that have a vector."""
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
        """`embedder`: the embedded model; `registry`: the served ones, None where nothing else is wanted."""
        self._store, self._settings, self._clock = store, settings, clock
        self._embedder, self._registry = embedder, registry

    # -- made and dropped --------------------------------------------------------------------------

    def make(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> MessageVectors:
        """Have vectors of messages from now on, and make those that there are not. `ModelUnavailable`."""
        model = self._model()
        count, made = self._caught_up(model, stop, progress)
        return MessageVectors(model.name, count, made, self._hours)

    def follow(self, stop: Stop = NEVER) -> None:
        """Take up what was said since, where vectors are wanted; those of another model are made anew."""
        if self._wanted():
            self._caught_up(self._model(), stop)

    def drop(self) -> MessageVectors:
        """Want none any more, and delete those that there are."""
        with self._alone():
            gone = sum(VectorTable(folder, 0).count() for folder in self._wanted())
            remove(self._settings.home.message_vectors)
        return MessageVectors("", gone, 0, self._hours, dropped=True)

    def erase(self) -> int:
        """Leave none of a message that is gone, or past its time; returns how many went."""
        gone = 0
        with self._alone():
            for folder in self._wanted():
                table = VectorTable(folder, 0)
                gone += table.retain("document", self._living(_documents(table)))
        return gone

    # -- a search ----------------------------------------------------------------------------------

    def near(self, text: str, within: Collection[int] | None) -> Near | str:
        """How close messages are to a text, of these conversations, None for all; or why nobody can say.

        The reason is empty where nobody has asked for vectors.
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
        """The vectors as they are, None where there are none of this model; how many chunks have none yet.

        More than `SOON` of them are counted as that many.
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
        """Embed what has no vector yet, and remove others; how many there are, and how many are new."""
        table, made = self._table(model), 0
        with self._alone():
            for other in self._wanted() - {table.folder}:
                remove(other)
            table.lance  # noqa: B018  (made, so that it is known that vectors are wanted)
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
        """Those of some messages that are there and not past their time."""
        with self._store.read() as lease:
            return np.array(conversations.kept(lease, documents.tolist(), self._since), np.int64)

    def _table(self, model: _Model) -> VectorTable:
        with self._store.read() as lease:
            identity = changes.identity(lease)
        name = f"{model.embedder.fingerprint}-{identity.store[:8]}-{identity.epoch[:8]}.lance"
        return VectorTable(self._settings.home.message_vectors / name, model.embedder.dims)

    def _model(self) -> _Model:
        """The model in force."""
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
        """The tables that there are: one, except while a model is being changed."""
        return {*self._settings.home.message_vectors.glob("*.lance")}

    @property
    def _hours(self) -> float:
        return self._settings.working_hours

    @property
    def _since(self) -> datetime:
        """What was kept before is past its time."""
        return self._clock.now().replace(tzinfo=None) - timedelta(hours=self._hours)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with alone(self._store, NAME.replace(" ", "-"), WAIT) as mine:
            if not mine:
                raise busy(NAME)
            yield


def _row(one: Spoken) -> dict[str, object]:
    """The row of a chunk of a message; its source is the conversation."""
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
    """The last message that was looked at."""
    return int(_documents(table).max(initial=0))


def _chance(found: NDArray[np.float64]) -> float:
    """What one in a hundred reaches, but at least `FEW` of them; as `Levels.chance`."""
    last = len(found) - 1
    return float(-np.sort(-found)[max(last // 100, min(FEW, last))])


def _served(registry: ModelRegistry, text: str) -> NDArray[np.float32]:
    """The vector of a query by the served model."""
    served = registry.served()
    if served is None:
        raise ModelUnavailable("The model was changed meanwhile.", "Search again.")
    return served.queries.ask(text).within(served.budget)


NEXT_LOOK = 5_000  # new messages from which on the thread begins without being asked
MOST_MESSAGES = 20_000  # chunks that a search applies before it answers
PATIENCE = 0.1  # seconds that a search waits for that thread
WRITTEN_WITHIN = 60.0  # seconds for another thread that is writing the index


class MessageIndex:
    """The index of messages of one home, for those who add to them and search them. Thread-safe.

    A search while many are being indexed misses those that are still to come: `Words.waiting` counts them.
    `afterwards` is around each catching up: what fails there is told, and no refusal.
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
        """So many messages have been stored."""
        self._new += count
        if self._new >= NEXT_LOOK:
            self._begin()

    def state(self) -> tuple[int, int]:
        """Its files as they are: another value where it has been written since."""
        try:
            mark = self._mark.stat()
        except OSError:
            return 0, 0
        return mark.st_mtime_ns, mark.st_ino

    def behind(self, lease: Lease) -> int:
        """How many chunks are to be applied."""
        return self._follower().behind(lease)

    def caught_up(self, behind: int | None = None) -> MessageWords:
        """The index with all messages in it; or with all but `waiting` of them. `behind`: as asked before."""
        follower, words = self._follower(), self._words()
        waiting = follower.state().behind if behind is None else behind
        if waiting:  # asked first: catching up opens the index anew
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
        """End the thread, which goes on where it was the next time."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> threading.Thread:
        """The thread that applies what there is; a new one, where the last has ended."""
        with self._hold:
            if self._thread is None or not self._thread.is_alive():
                self._new = 0
                self._thread = threading.Thread(target=self._run, name="messages", daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        with suppress(Cancelled), self._afterwards():
            self._follower().sync(self._over)
