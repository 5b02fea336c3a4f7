"""Messages by meaning: their vectors, of the model in force, for as long as messages are in retrieval.

They are made where somebody has asked for them once; from then on consolidation and searches take up what
was said since. Searches do so only with the model that is always there: another may take its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.errors import ArkError, ModelUnavailable
from ark_tui.domain.memory import MessageVectors
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.secrets import masked
from ark_tui.domain.work import Progress
from ark_tui.embedding import choice, static
from ark_tui.index.follower import alone, busy
from ark_tui.index.vectors import said as files
from ark_tui.memory.conversations import VECTORS
from ark_tui.settings.home import remove
from ark_tui.store import changes, conversations
from ark_tui.store.documents import latest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Clock, Embedder
    from ark_tui.engine.models import ModelRegistry
    from ark_tui.index.vectors.said import Said
    from ark_tui.memory.fused import Near
    from ark_tui.settings import Settings
    from ark_tui.store import Store

NAME = "message vectors"
SUFFIX = ".vectors"
MOST = 20_000  # chunks that have one, the last; 10 MB of the embedded model
AT_ONCE = 1_000  # chunks that are embedded before what has been is kept
SOON = 2_000  # chunks, fewer of which a search takes up before it answers
WAIT = 60.0  # seconds for another process that is writing them


@dataclass(frozen=True)
class _Model:
    """A model as messages need it. `ask` gives the vector of a query, or raises `ArkError`."""

    name: str
    embedder: Embedder
    ask: Callable[[str], NDArray[np.float32]]

    @property
    def static(self) -> bool:
        return self.embedder.provider == "static"


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
        self._known: tuple[object, Said | None] = None, None

    # -- made and dropped --------------------------------------------------------------------------

    def make(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> MessageVectors:
        """Have vectors of messages from now on, and make those that there are not. `ModelUnavailable`."""
        model = self._model()
        said, made = self._caught_up(model, stop, progress)
        return MessageVectors(model.name, len(said), made, self._hours)

    def follow(self, stop: Stop = NEVER) -> None:
        """Take up what was said since, where vectors are wanted; those of another model are made anew."""
        if self._wanted():
            self._caught_up(self._model(), stop)

    def drop(self) -> MessageVectors:
        """Want none any more, and delete those that there are."""
        with self._alone():
            gone = sum(len(said) for path in self._wanted() if (said := self._read(path)))
            remove(self._settings.home.message_vectors)
        return MessageVectors("", gone, 0, self._hours, dropped=True)

    def erase(self) -> int:
        """Leave none of a message that is gone, or past its time; returns how many went."""
        gone = 0
        if not self._wanted():
            return gone
        from ark_tui.index.vectors import said as files

        with self._alone():
            for path in self._wanted():
                before = self._read(path)
                left = self._living(before) if before else None
                if before is None or left is None:
                    remove(path)
                    continue
                gone += len(before) - len(left)
                files.write(path, left)
        return gone

    # -- a search ----------------------------------------------------------------------------------

    def near(self, text: str, within: Collection[int] | None) -> Near | str:
        """How close messages are to a text, of these conversations, None for all; or why nobody can say.

        The reason is empty where nobody has asked for vectors.
        """
        if not self._wanted():
            return ""
        try:
            return self._near(text, within)
        except ArkError as error:
            return f"Messages were searched by their words alone: {error.told}"

    def _near(self, text: str, within: Collection[int] | None) -> Near | str:
        from ark_tui.memory.fused import Near

        model = self._model()
        said, waiting = self._current(model)
        if said is None:
            return "The vectors of messages are of another model; " + VECTORS
        asked = model.ask(text)
        since = changes.minutes(self._since)
        able = said.minutes > since
        if within is not None:
            able &= np.isin(said.conversations, np.fromiter(within, np.int64, len(within)))
        profile = self._settings.profiles[self._settings.profile]
        close = said.closeness(asked, profile.boosts.get("before", 0.0))[able]
        if not asked.any() or not len(close):
            return "No message that is asked for has a vector; " + VECTORS
        left = f"{waiting:,} new ones are found by their words only; " + VECTORS if waiting else ""
        mine = said.those(able)
        signal = "static" if model.static else "cosine"
        return Near(signal, profile, mine.chunks, mine.documents, close, files.chance(close), left)

    def _current(self, model: _Model) -> tuple[Said | None, int]:
        """The vectors as they are, None where there are none of this model; how many chunks have none yet.

        More than `SOON` of them are counted as that many.
        """
        path = self._path(model)
        said = self._read(path)
        with self._store.read() as lease:
            if said is not None and said.store != changes.identity(lease):
                said = None
            start = said.reached if said else 0
            new = latest(lease) > start
            waiting = len(conversations.spoken(lease, start, self._since, SOON)) if new else 0
        if waiting and waiting < SOON and model.static and path.exists():
            return self._caught_up(model, NEVER)[0], 0
        return said, waiting

    # -- inside ------------------------------------------------------------------------------------

    def _caught_up(self, model: _Model, stop: Stop, progress: OnProgress = ignore) -> tuple[Said, int]:
        """The vectors with all that are wanted, and how many are new; what there was of others is removed."""
        path, made = self._path(model), 0
        with self._alone():
            with self._store.read() as lease:
                identity, upto = changes.identity(lease), latest(lease)
                before = self._read(path)
                start = before.reached if before and before.store == identity else 0
                waiting = conversations.spoken(lease, start, self._since, MOST)
            said = self._living(before) if before else None
            said = said or files.empty(identity, model.embedder.dims)
            for begin in range(0, len(waiting), AT_ONCE):
                check(stop)
                batch = waiting[begin : begin + AT_ONCE]
                rows = model.embedder.embed_documents([masked(one.text)[0] for one in batch], stop)
                made += int(rows.any(axis=1).sum())
                said = said.further(batch[-1].document, batch, rows)
                if begin + AT_ONCE < len(waiting):
                    files.write(path, said)
                progress(Progress(NAME, begin + len(batch), len(waiting)))
            said = said.further(upto, [], model.embedder.embed_documents([]))
            if len(said) > MOST:
                import numpy as np

                said = said.those(said.chunks >= np.sort(said.chunks)[-MOST])
            files.write(path, said)
            for other in self._wanted() - {path}:
                remove(other)
        return said, made

    def _living(self, said: Said) -> Said | None:
        """Those of messages that are there and not past their time; None where they are of another store."""
        with self._store.read() as lease:
            if said.store != changes.identity(lease):
                return None
            return said.of(conversations.kept(lease, said.documents.tolist(), self._since))

    def _read(self, path: Path) -> Said | None:
        state = None
        with suppress(FileNotFoundError):
            stat = path.stat()
            state = path, stat.st_mtime_ns, stat.st_ino
        known, said = self._known
        if state is None or state != known:
            said = files.read(path)
            self._known = state, said
        return said

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

    def _path(self, model: _Model) -> Path:
        return self._settings.home.message_vectors / f"{model.embedder.fingerprint}{SUFFIX}"

    def _wanted(self) -> set[Path]:
        """The files that there are: one, but while a model is changed."""
        return {*self._settings.home.message_vectors.glob(f"*{SUFFIX}")}

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


def _served(registry: ModelRegistry, text: str) -> NDArray[np.float32]:
    """The vector of a query by the served model."""
    served = registry.served()
    if served is None:
        raise ModelUnavailable("The model was changed meanwhile.", "Search again.")
    return served.queries.ask(text).within(served.budget)
