"""The store of a home, as the layers above use it: transactions, and what is known without one."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import Clock, OnWait, ignore
from ark_tui.store import requests
from ark_tui.store.database import Database, Listener
from ark_tui.store.lease import Lease

if TYPE_CHECKING:
    from ark_tui.settings import Home
    from ark_tui.store import models, owners
    from ark_tui.store.lock import HomeLock

_OPEN: WeakValueDictionary[Path, Database] = WeakValueDictionary()
_HOLD = threading.Lock()


@atexit.register
def _close_all() -> None:
    """DuckDB wants to be closed before the interpreter ends."""
    for database in [*_OPEN.values()]:
        with suppress(ArkError):
            database.close()


class Store:
    """The store of one home. Thread-safe; several of one home in a process share what is open.

    The home is locked when the store is first used, until `close`.
    """

    def __init__(self, home: Home, clock: Clock, timeout: float = 5.0, on_wait: OnWait = ignore) -> None:
        """`timeout`: seconds to wait for another process that has the home; `on_wait` is told of it."""
        self.home = home
        self.path: Path = home.store
        self._clock = clock
        self._timeout = timeout
        self._on_wait = on_wait
        self._key = home.store.absolute()
        self._database: Database | None = None
        self._mended: list[str] = []

    @property
    def _base(self) -> Database:
        """What is open, or will be once a transaction begins."""
        if self._database is None:
            with _HOLD:
                there = _OPEN.get(self._key) or Database(self.home, self._timeout, self._on_wait)
                _OPEN[self._key] = there
                there.users.add(self)
                there.mended.extend(self._mended)
                self._mended = there.mended
                self._database = there
        return self._database

    def read(self) -> AbstractContextManager[Lease]:
        """A transaction that only reads, as the store is when it begins."""
        return self._base.read(self._clock)

    @contextmanager
    def write(self) -> Iterator[Lease]:
        """A transaction that may change things: committed when the block ends, rolled back when it raises."""
        with self._base.write(self._clock) as lease, requests.counted(lease):
            yield lease

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call something after each commit, in the thread that has committed; returns what ends that."""
        return self._base.subscribe(listener)

    # -- what is known without a transaction -------------------------------------------------------

    def change(self) -> int:
        """The number of the latest change to a chunk; 0 before the first."""
        return self._base.change()

    def pulse(self) -> int:
        """A number that grows with every transaction that changed anything."""
        return self._base.pulse()

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents."""
        return self._base.pins()

    def models(self) -> models.Record:
        """Which models are used."""
        return self._base.models()

    def whose(self) -> frozenset[owners.Pair]:
        """Of whom there are memories; of some there may be none any more."""
        return self._base.whose()

    def index_lock(self, name: str) -> threading.Lock:
        """What a thread holds while it writes an index of this home."""
        return self._base.index_lock(name)

    # -- the files ---------------------------------------------------------------------------------

    @property
    def lock(self) -> HomeLock:
        """The lock of the home."""
        return self._base.lock

    @property
    def log(self) -> Path:
        """DuckDB's write-ahead log: what was committed and is not in the file yet."""
        return self._base.log

    @property
    def mended(self) -> list[str]:
        """What this process has found damaged and rebuilt, in sentences."""
        return self._mended  # not `_base`: whoever asks after `close` must not open the store again

    def checkpoint(self, *, must: bool = False) -> None:
        """Fold the log into the file, if there is any; where that fails it stays, and is folded in later.

        `must`: raise `StoreError` then.
        """
        self._base.checkpoint(must=must)

    def size(self) -> int:
        """The bytes of the file and its log."""
        return self._base.size()

    def copy(self, folder: Path) -> Path:
        """Copy the store into a folder, with what is still in its log. Writers wait meanwhile."""
        return self._base.copy(folder)

    def rewrite(self) -> None:
        """Write the file anew, so that nothing of what was deleted is left in its free pages."""
        self._base.rewrite()

    def replace(self, fresh: Path, aside: Path) -> bool:
        """Put another file in place of the store, and the one that was there aside. Whether there was one."""
        return self._base.replace(fresh, aside)

    def verify(self) -> None:
        """Read everything; raises `StoreError` where the file is damaged."""
        with self.read() as lease:
            lease.read_through()

    def lost(self, *, accept: bool = False) -> bool:
        """Whether the log has lost what was written last; `accept`: go on without it."""
        return self._base.lost(accept=accept)

    def way_back(self) -> str:
        """What to do about a damaged store: the command, with the latest copy that `restore` takes."""
        return self._base.way_back()

    def beside(self, folder: Path) -> Store:
        """A store like this one in a folder of its own."""
        return Store(type(self.home)(folder), self._clock)

    def close(self) -> None:
        """Fold the log into the file, close it, and give the home back, unless somebody else here uses it."""
        with _HOLD:
            database, self._database = self._database, None
            if database is None:
                return
            database.users.discard(self)
            if database.users:
                return
            database.close()
            _OPEN.pop(self._key, None)
