"""The store of a home for the layers above: transactions, and cached state."""

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

_OPEN: WeakValueDictionary[Path, Database] = WeakValueDictionary()
_HOLD = threading.Lock()


@atexit.register
def _close_all() -> None:
    """DuckDB must be closed before the interpreter exits."""
    for database in [*_OPEN.values()]:
        with suppress(ArkError):
            database.close()


class Store:
    """The store of one home. Thread-safe; stores of the same home in a process share one database.

    The home is locked from first use until `close`.
    """

    def __init__(self, home: Home, clock: Clock, timeout: float = 5.0, on_wait: OnWait = ignore) -> None:
        """`timeout`: seconds to wait for another process with the home; `on_wait` is called meanwhile."""
        self.home = home
        self.path: Path = home.store
        self._clock = clock
        self._timeout = timeout
        self._on_wait = on_wait
        self._key = home.store.absolute()
        self._database: Database | None = None
        self._mended: list[str] = []

    @property
    def database(self) -> Database:
        """The shared database, with the operations on its files; opened by the first transaction."""
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
        """A read transaction on one snapshot of the store."""
        return self.database.read(self._clock)

    @contextmanager
    def write(self) -> Iterator[Lease]:
        """A write transaction: committed when the block ends, rolled back when it raises."""
        with self.database.write(self._clock) as lease, requests.counted(lease):
            yield lease

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each commit, in the committing thread; return one that unsubscribes."""
        return self.database.subscribe(listener)

    # -- cached state, without a transaction -------------------------------------------------------

    def change(self) -> int:
        """The number of the latest chunk change; 0 before the first."""
        return self.database.change()

    def pulse(self) -> int:
        """A number that grows with every changing transaction."""
        return self.database.pulse()

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents."""
        return self.database.pins()

    def models(self) -> models.Record:
        """The models in use."""
        return self.database.models()

    def whose(self) -> frozenset[owners.Pair]:
        """The owners and projects that have memories; some of them may have none any more."""
        return self.database.whose()

    def index_lock(self, name: str) -> threading.Lock:
        """The lock that a thread holds while it writes an index of this home."""
        return self.database.index_lock(name)

    # -- the files ---------------------------------------------------------------------------------

    @property
    def mended(self) -> list[str]:
        """Messages about damage that this process found and repaired."""
        return self._mended  # not `database`, which would reopen the store after `close`

    def checkpoint(self, *, must: bool = False) -> None:
        """Checkpoint: write the log into the file. If that fails, the log stays for a later checkpoint.

        `must`: raise `StoreError` then.
        """
        self.database.checkpoint(must=must)

    def beside(self, folder: Path) -> Store:
        """A store with the same settings in another folder."""
        return Store(type(self.home)(folder), self._clock)

    def close(self) -> None:
        """Close the store and release the home, unless another `Store` of this process uses it."""
        with _HOLD:
            database, self._database = self._database, None
            if database is None:
                return
            database.users.discard(self)
            if database.users:
                return
            database.close()
            _OPEN.pop(self._key, None)
