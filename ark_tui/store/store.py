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
    from ark_tui.store.lock import HomeLock

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
        self._repairs: list[str] = []

    @property
    def _base(self) -> Database:
        """The shared database; opened by the first transaction."""
        if self._database is None:
            with _HOLD:
                there = _OPEN.get(self._key) or Database(self.home, self._timeout, self._on_wait)
                _OPEN[self._key] = there
                there.users.add(self)
                there.repairs.extend(self._repairs)
                self._repairs = there.repairs
                self._database = there
        return self._database

    def read(self) -> AbstractContextManager[Lease]:
        """A read transaction on one snapshot of the store."""
        return self._base.read(self._clock)

    @contextmanager
    def write(self) -> Iterator[Lease]:
        """A write transaction: committed when the block ends, rolled back when it raises."""
        with self._base.write(self._clock) as lease, requests.counted(lease):
            yield lease

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each commit, in the committing thread; return one that unsubscribes."""
        return self._base.subscribe(listener)

    # -- cached state, without a transaction -------------------------------------------------------

    def change(self) -> int:
        """The number of the latest chunk change; 0 before the first."""
        return self._base.change()

    def pulse(self) -> int:
        """A number that grows with every changing transaction."""
        return self._base.pulse()

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents."""
        return self._base.pins()

    def models(self) -> models.Record:
        """The models in use."""
        return self._base.models()

    def whose(self) -> frozenset[owners.Pair]:
        """The owners and projects that have memories; some of them may have none any more."""
        return self._base.whose()

    def index_lock(self, name: str) -> threading.Lock:
        """The lock that a thread holds while it writes an index of this home."""
        return self._base.index_lock(name)

    # -- the files ---------------------------------------------------------------------------------

    @property
    def lock(self) -> HomeLock:
        """The lock of the home."""
        return self._base.lock

    @property
    def log(self) -> Path:
        """DuckDB's write-ahead log: commits that are not in the file yet."""
        return self._base.log

    @property
    def repairs(self) -> list[str]:
        """Messages about damage that this process found and repaired."""
        return self._repairs  # not `_base`, which would reopen the store after `close`

    def checkpoint(self, *, must: bool = False) -> None:
        """Checkpoint: write the log into the file. If that fails, the log stays for a later checkpoint.

        `must`: raise `StoreError` then.
        """
        self._base.checkpoint(must=must)

    def size(self) -> int:
        """The size of the file and its log in bytes."""
        return self._base.size()

    def copy(self, folder: Path) -> Path:
        """Copy the store and its log into a folder. Writers wait meanwhile."""
        return self._base.copy(folder)

    def rewrite(self) -> None:
        """Rewrite the file, so that its free pages hold no deleted data."""
        self._base.rewrite()

    def replace(self, fresh: Path, aside: Path) -> bool:
        """Replace the store by another file; keep the old one as `aside`. Returns whether there was one."""
        return self._base.replace(fresh, aside)

    def verify(self) -> None:
        """Read everything; raises `StoreError` if the file is damaged."""
        with self.read() as lease:
            lease.read_through()

    def lost(self, *, accept: bool = False) -> bool:
        """Whether the end of the log was lost; `accept`: continue without it."""
        return self._base.lost(accept=accept)

    def way_back(self) -> str:
        """The hint for a damaged store: the `restore` command with the latest backup."""
        return self._base.way_back()

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
