"""The DuckDB file of a home, open in one process.

Writers run one at a time, one transaction each. Every reader has its own cursor and sees one snapshot, so
readers never wait. A commit returns when DuckDB has synced its log.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakSet

from ark_tui.domain.errors import ArkError, Hint, StoreError
from ark_tui.domain.failures import of_disk
from ark_tui.domain.protocols import Clock, OnWait, ignore
from ark_tui.settings.caller import SystemClock
from ark_tui.settings.home import sync_folder
from ark_tui.store import blocks, migrations, models, overrides, owners
from ark_tui.store.lease import Lease, Name
from ark_tui.store.lock import Files, Holder, HomeLock
from ark_tui.store.sessions import Sessions

if TYPE_CHECKING:
    import duckdb

    from ark_tui.settings import Home

Found = TypeVar("Found")
Listener = Callable[[], object]

CONFIG = {
    "memory_limit": "2GB",
    "allocator_background_threads": "true",  # frees memory even if no further statement follows
    "threads": "2",  # for a large store
    "default_block_size": "32768",  # of a new file, instead of 262144: each small write writes whole blocks
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # a table name never refers to a Python variable
}
LOCKDOWN = (
    "checkpoint_on_detach = 'DISABLED'",
    "checkpoint_threshold = '1TB'",  # never within a COMMIT: a failing checkpoint would end it as refused
    "enable_progress_bar = false",
    "enable_external_access = false",
    "lock_configuration = true",
)
"""No statement can access files outside of the home, load an extension, or undo these settings."""
LARGE = 64 << 20  # bytes; in a smaller store most statements lose time by waiting for a second thread
ROWS = 30_720  # of a row group, instead of 122880: a checkpoint rewrites the last row group of a table
FOREIGN = "Could not set lock on file"
TORN = "Corrupt database file"
HOLDER = re.compile(r"held in (?P<command>.+?) \(PID (?P<process>\d+)\)")
BROKEN = re.compile("not a valid DuckDB|corrupt|Could not read|deserialize|Is a directory", re.IGNORECASE)
NO_CLOCK = SystemClock()  # for transactions that need no time
IDLE = 2.0  # seconds without a commit until the checkpoint
LOG_BYTES = 16 << 20  # of log: more is checkpointed at once, since it is replayed after a kill


class Database:
    """The open store of one home, shared by all users in this process. Thread-safe."""

    def __init__(self, home: Home, timeout: float = 5.0, on_wait: OnWait = ignore) -> None:
        """`timeout`: seconds to wait for another process with the home; `on_wait` is called meanwhile."""
        self.home = home
        self.path: Path = home.store
        self.lock = HomeLock(home.lock, timeout, on_wait)
        self.users: WeakSet[object] = WeakSet()
        self.repairs: list[str] = []  # messages about damage that was found and repaired
        self._sessions = Sessions()
        self._opening = threading.RLock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._cursors: list[duckdb.DuckDBPyConnection] = []  # of readers, unused at present
        self._parsed: dict[str, duckdb.Statement] = {}  # parsed statements of earlier transactions, by SQL
        self._file: int | None = None  # descriptor of the store, open as long as DuckDB's, see `_shut`
        self._doubtful = False  # the files are not as recorded: verify all before writing
        self._failed = False  # DuckDB refuses everything until it is reopened
        self._change = 0
        self._commits = 0
        self._known: dict[Name, object] = {}  # cached answers of the store
        self._ages: dict[Name, int] = {}  # number of changes of each cached answer
        self._listeners: list[Listener] = []
        self._index_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._folding: threading.Timer | None = None

    # -- transactions ------------------------------------------------------------------------------

    @contextmanager
    def read(self, clock: Clock) -> Iterator[Lease]:
        """A read transaction on one snapshot of the store."""
        with self._sessions.reading():
            self._open()
            cursor = self._cursors.pop() if self._cursors else self._cursor()
            try:
                with self._transaction(cursor, "BEGIN TRANSACTION READ ONLY", clock) as lease:
                    yield lease
            finally:
                if self._connection is not None and not self._failed:
                    self._cursors.append(cursor)
                else:
                    cursor.close()

    @contextmanager
    def write(self, clock: Clock) -> Iterator[Lease]:
        """A write transaction: committed when the block ends, rolled back when it raises."""
        with self._sessions.writing():
            logged = None
            try:
                with self._sessions.reading():
                    self._open()
                    self._check_writable()
                    logged = self._log_size()
                    with self._transaction(self._connected(), "BEGIN", clock) as lease:
                        yield lease
                    self._committed(lease)
            except ArkError:
                if logged is not None and (self._failed or self._log_size() > logged):
                    self._withdraw(logged)
                raise
        if lease.wrote:
            for listener in self._listeners:
                listener()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each commit, in the committing thread; return one that unsubscribes."""
        self._listeners = [*self._listeners, listener]

        def end() -> None:
            self._listeners = [one for one in self._listeners if one is not listener]

        return end

    # -- cached state, without a transaction -------------------------------------------------------

    def change(self) -> int:
        """The number of the latest chunk change; 0 before the first."""
        if self._connection is None:
            if not self.path.exists():
                return 0
            with self._sessions.reading():
                self._open()
        return self._change

    def pulse(self) -> int:
        """A number that grows with every changing transaction of this process."""
        return self._commits

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents."""
        return self._asked("pins", overrides.pinned, frozenset())

    def models(self) -> models.Record:
        """The models in use."""
        return self._asked("models", models.record, models.Record())

    def whose(self) -> frozenset[owners.Pair]:
        """The owners and projects that have memories; some of them may have none any more."""
        return self._asked("owners", owners.whose, frozenset())

    def index_lock(self, name: str) -> threading.Lock:
        """The lock that a thread holds while it writes an index of this home."""
        with self._opening:
            return self._index_locks[name]

    # -- the files ---------------------------------------------------------------------------------

    @property
    def log(self) -> Path:
        """DuckDB's write-ahead log: commits that are not in the file yet."""
        return self.path.with_name(f"{self.path.name}.wal")

    @property
    def opened(self) -> bool:
        """Whether this process has the store open."""
        return self._connection is not None

    def checkpoint(self, *, must: bool = False) -> None:
        """Checkpoint: write the log into the file. If that fails, the log stays for a later checkpoint.

        `must`: raise `StoreError` then.
        """
        if must:
            self.change()
        if self._connection is None or self.lock.read_only:
            return
        try:
            with self._sessions.writing():
                self._fold()
        except StoreError:
            if must:
                raise

    def size(self) -> int:
        """The size of the file and its log in bytes."""
        return (self.path.stat().st_size if self.path.exists() else 0) + self._log_size()

    def copy(self, folder: Path) -> Path:
        """Copy the store and its log into a folder. Writers wait meanwhile."""
        copied = type(self.home)(folder).store
        with self._sessions.writing(), self._sessions.reading():
            self._open()
            assert self._file is not None
            with open(self._file, "rb", closefd=False) as source, copied.open("xb") as target:
                source.seek(0)
                shutil.copyfileobj(source, target, 1 << 20)
            if self._log_size():
                shutil.copyfile(self.log, copied.with_name(f"{copied.name}.wal"))
        return copied

    def rewrite(self) -> None:
        """Rewrite the file, so that its free pages hold no deleted data.

        Writers wait meanwhile. The new file replaces the old one by a rename, after its numbers of rows were
        checked.
        """
        fresh = self.path.with_name(f"{self.path.name}.new")
        try:
            with self._sessions.writing():
                with self._sessions.reading():
                    self._open()
                    self._check_writable()
                    self._fold()  # so that the old file lacks nothing when its log is removed
                    self._copy_rows(fresh)
                with self._sessions.without_readers():
                    self._shut()
                    for path in (self.log, blocks.kept(self.path)):
                        path.unlink(missing_ok=True)
                    fresh.replace(self.path)
                    sync_folder(self.path.parent)
                    self.lock.note(Files.now(self.path))
        except OSError as error:
            raise StoreError(
                f"The store could not be rewritten: {error.strerror or error}. It stays as it is.",
                "Make room for another copy of it, then try again.",
            ) from error
        finally:
            for path in (fresh, fresh.with_name(f"{fresh.name}.wal")):
                path.unlink(missing_ok=True)

    def replace(self, fresh: Path, aside: Path) -> bool:
        """Replace the store by another file and keep the old one as `aside`, readable or not.

        Returns whether there was an old one. The new file is put in place by one rename, so a kill at any
        moment leaves either the old or the new store.
        """
        with self._sessions.alone():
            self.lock.acquire()
            there = self.path.exists()
            if there:
                with suppress(StoreError):  # damaged: it is kept as it is
                    self._open()
                    self._fold()
                self._shut()
                _link(self.path, aside)
                if self.log.exists():  # the checkpoint failed: keep the log with the old file
                    _link(self.log, aside.with_name(f"{aside.name}.wal"))
                    self.log.unlink()
            blocks.kept(self.path).unlink(missing_ok=True)
            fresh.replace(self.path)
            self._keep_name()
            self.lock.note(Files.now(self.path))
            self._forget()
        return there

    def lost(self, *, accept: bool = False) -> bool:
        """Whether the end of the log was lost; `accept`: continue without it."""
        left, now = self.lock.left, Files.now(self.path)
        if self.opened or left is None or not left.lost_by(now):
            return False
        if accept:
            self.lock.acquire()
            self.lock.note(now)
        return True

    def close(self) -> None:
        """Checkpoint, close the file, and release the home."""
        if self._folding is not None:
            self._folding.cancel()
        self.checkpoint()
        with self._sessions.alone():
            self._shut()
            self._parsed.clear()  # DuckDB reports statements that are left at exit
            self.lock.release()

    def way_back(self) -> str:
        """The hint for a damaged store: the `restore` command with the latest backup."""
        import zipfile

        found = (path for path in self.home.backups.glob("*.zip") if zipfile.is_zipfile(path))
        copies = sorted(found, key=lambda path: path.stat().st_mtime)
        if copies:
            return Hint.run("restore", copies[-1], say="Bring back the latest copy: {}")
        return Hint.run(
            "restore",
            say="There is no backup in the home. Restore a copy of your own with `{}`, or move the home away "
            "and index your folders again.",
        )

    # -- opening and closing -----------------------------------------------------------------------

    def _open(self) -> None:
        """Lock the home and open its store, unless it is open. Raises `StoreError` and `StoreLocked`."""
        if self._connection is not None and not self._failed:
            return
        with self._opening:
            if self._failed and self._sessions.readers() <= 1:
                self._shut()
            if self._connection is not None:
                return
            self.lock.acquire()
            try:
                self._attach()
            except BaseException:
                self._shut()
                self.lock.release()
                raise

    def _attach(self) -> None:
        import duckdb

        left, now = self.lock.left, Files.now(self.path)
        if left and left.lost_by(now):
            raise StoreError(
                f"The store {self.path} has lost its last changes: its log is damaged.",
                Hint.run("doctor", repair=True, say="Go on without it: {}. ") + self.way_back(),
            )
        hollow = self._is_hollow(now)
        if hollow and left and left.size > blocks.HEADERS:
            raise StoreError(f"The store {self.path} is gone, or empty.", self.way_back())
        if hollow and not self.lock.read_only:
            self.path.resolve().unlink(missing_ok=True)
        try:
            connection = self._connect()
            self._attach_file(connection)
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            self._begin(connection, hollow=hollow)
        except (duckdb.Error, OSError) as error:
            raise self._explain(error) from error
        self._connection = connection
        self._failed = False
        self._doubtful = not hollow and left != now

    def _begin(self, connection: duckdb.DuckDBPyConnection, *, hollow: bool) -> None:
        """Create the tables of an empty store; refuse another version; read the latest change number."""
        with self._transaction(connection, "BEGIN") as lease:
            version = migrations.version(lease)
            if version not in {0, migrations.LATEST}:
                raise migrations.other_version(f"The store {self.path}", version)
            if not version:
                migrations.create(lease)
            self._change = lease.count("SELECT value FROM ark.counters WHERE name = 'change'")
        if hollow or not version:
            self._checkpoint(connection)

    def _is_hollow(self, now: Files) -> bool:
        """Whether the file is missing or empty: the process that created it may have been killed."""
        return not self.path.is_dir() and now.size <= blocks.HEADERS and not now.log

    def _connect(self) -> duckdb.DuckDBPyConnection:
        import duckdb

        spill = self.path.with_name("spill")  # for data that does not fit into DuckDB's memory limit
        shutil.rmtree(spill, ignore_errors=True)  # left by a killed process
        own = {"temp_directory": str(spill)}
        if Files.now(self.path).size < LARGE:
            own["threads"] = "1"
        connection = duckdb.connect(":memory:", config={**CONFIG, **own})
        places = {str(self.path.parent), str(self.path.resolve().parent)}
        connection.execute("SET allowed_directories = ?", [sorted(places)]).fetchall()
        for setting in LOCKDOWN:
            connection.execute(f"SET {setting}").fetchall()
        return connection

    def _attach_file(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Attach the file, after waiting for programs that have it open without using our lock."""
        import duckdb

        how = "READ_ONLY" if self.lock.read_only else f"ROW_GROUP_SIZE {ROWS}"
        statement = f"ATTACH {_quoted(self.path)} AS ark ({how})"
        holder = Holder()

        def attempt() -> bool:
            nonlocal holder
            try:
                connection.execute(statement).fetchall()
            except duckdb.Error as error:
                if TORN in str(error) and blocks.put_back(self.path):
                    connection.execute(statement).fetchall()
                    return True
                if FOREIGN not in str(error):
                    raise
                held = HOLDER.search(str(error))
                holder = Holder(int(held["process"]), Path(held["command"]).name) if held else Holder()
                return False
            return True

        self.lock.wait(attempt, lambda: holder)

    def _shut(self) -> None:
        """Let DuckDB close the file. The caller ensures that no transaction is running."""
        import duckdb

        connection, self._connection = self._connection, None
        cursors, self._cursors = self._cursors, []
        for cursor in cursors:
            cursor.close()
        if connection is not None:
            with suppress(duckdb.Error):
                connection.execute("DETACH ark").fetchall()
            connection.close()
            if not self._failed:
                self.lock.note(Files.now(self.path))
        if self._file is not None:
            os.close(self._file)  # only now: closing any descriptor of the file releases DuckDB's own lock
            self._file = None
        self._failed = False

    def _forget(self) -> None:
        """Clear all cached answers, since the store was replaced."""
        self._known.clear()
        for name in self._ages:
            self._ages[name] = self._ages.get(name, 0) + 1
        self._commits += 1

    # -- within a transaction ----------------------------------------------------------------------

    @contextmanager
    def _transaction(
        self, connection: duckdb.DuckDBPyConnection, begin: str, clock: Clock = NO_CLOCK
    ) -> Iterator[Lease]:
        import duckdb

        lease = Lease(connection, clock, self._parsed)
        try:
            connection.execute(begin).fetchall()
            try:
                yield lease
                connection.execute("COMMIT").fetchall()
            except BaseException:
                with suppress(duckdb.Error):  # the error itself may have ended the transaction
                    connection.execute("ROLLBACK").fetchall()
                raise
            finally:
                lease.end()
        except duckdb.Error as error:
            if isinstance(error, (duckdb.FatalException, duckdb.InternalException)):
                self._failed = True
            raise self._explain(error) from error

    def _committed(self, lease: Lease) -> None:
        if not lease.wrote:
            return
        self._change = lease.change if lease.change is not None else self._change
        for name in lease.changed:
            self._ages[name] = self._ages.get(name, 0) + 1
            self._known.pop(name, None)
        self._commits += 1
        self.lock.note(Files.now(self.path))
        if self._log_size() > LOG_BYTES:
            with suppress(StoreError):
                self._fold()
        else:
            self._fold_soon()

    def _asked(self, name: Name, ask: Callable[[Lease], Found], nothing: Found) -> Found:
        """A cached answer of the store, read again only after a transaction has changed it."""
        if name not in self._known:
            if self._connection is None and not self.path.exists():
                return nothing
            age = self._ages.get(name, 0)
            with self.read(NO_CLOCK) as lease:
                found = ask(lease)
            if self._ages.get(name, 0) != age:
                return found
            self._known[name] = found
        return self._known.get(name, nothing)  # type: ignore[return-value]

    def _check_writable(self) -> None:
        """Raise `StoreError` for a read-only home; verify the store if its files are not as recorded."""
        if self.lock.read_only:
            raise StoreError(
                f"The home {self.path.parent} can only be read.",
                Hint.give(home=True, say="Make it writable, or choose another with ARK_HOME or {}."),
            )
        if self._doubtful:
            with self._transaction(self._connected(), "BEGIN TRANSACTION READ ONLY") as lease:
                lease.read_through()
            self._doubtful = False

    def _withdraw(self, size: int) -> None:
        """Reopen the store without anything that a refused transaction may have left in the log.

        DuckDB truncates the log itself unless a sync fails, too. Raises `StoreError` if truncating fails.
        """
        with self._sessions.without_readers():
            self._failed = True
            self._shut()
            if self._log_size() <= size:
                return
            try:
                os.truncate(self.log, size)
                self.lock.note(Files.now(self.path))
            except OSError as error:
                raise StoreError(
                    f"The disk that holds {self.path.parent} fails: {error.strerror}. "
                    "The last change may be kept or not.",
                    "Check whether the change was made, and make a backup on another disk.",
                ) from error

    def _connected(self) -> duckdb.DuckDBPyConnection:
        assert self._connection is not None
        return self._connection

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        return self._connected().cursor()

    # -- the log -----------------------------------------------------------------------------------

    def _log_size(self) -> int:
        return Files.now(self.path).log

    def _fold_soon(self) -> None:
        """Schedule a checkpoint for when there was no commit for a while."""
        if self._folding is None or not self._folding.is_alive():
            self._folding = threading.Timer(IDLE, self._fold_if_idle, [self._commits])
            self._folding.name = "checkpoint"
            self._folding.daemon = True
            self._folding.start()

    def _fold_if_idle(self, commits: int) -> None:
        self._folding = None
        if commits != self._commits:
            self._fold_soon()
        else:
            self.checkpoint()

    def _fold(self) -> None:
        """Checkpoint now. Only for the thread that writes."""
        import duckdb

        if not self._log_size():
            return
        try:
            self._checkpoint(self._connected())
        except (duckdb.Error, OSError) as error:
            raise self._explain(error) from error

    def _checkpoint(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Checkpoint; the blocks that DuckDB overwrites in place are saved beside the file meanwhile."""
        size, found = (
            connection.execute(f"SELECT {what} FROM pragma_{whose}").fetchall()
            for what, whose in (
                ("block_size", "database_size() WHERE database_name = 'ark'"),
                ("DISTINCT block_id", "metadata_info('ark')"),
            )
        )
        assert self._file is not None
        blocks.keep(self.path, self._file, (int(row[0]) for row in found), int(size[0][0]))
        connection.execute("CHECKPOINT ark").fetchall()
        blocks.kept(self.path).unlink(missing_ok=True)
        self.lock.note(Files.now(self.path))

    def _copy_rows(self, fresh: Path) -> None:
        """Copy the rows of all tables, and nothing else, to another file."""
        import duckdb

        fresh.unlink(missing_ok=True)
        connection = self._cursor()
        try:
            connection.execute(f"ATTACH {_quoted(fresh)} AS fresh (ROW_GROUP_SIZE {ROWS})").fetchall()
            try:
                for statement in ("COPY FROM DATABASE ark TO fresh", "CHECKPOINT fresh"):
                    connection.execute(statement).fetchall()
                whole = _rows(connection, "fresh") == _rows(connection, "ark")
            finally:
                connection.execute("DETACH fresh").fetchall()
        except duckdb.Error as error:
            raise self._explain(error) from error
        finally:
            connection.close()
        if not whole:
            raise StoreError("The store could not be rewritten; it stays as it is.", "Try again.")
        fresh.chmod(0o600)
        with fresh.open("rb") as file:
            os.fsync(file.fileno())

    def _keep_name(self) -> None:
        """Sync the folder so that the rename survives a power cut; report if that fails."""
        try:
            sync_folder(self.path.parent)
        except OSError as error:
            why = error.strerror or error
            self.repairs.append(
                f"{self.path} is in place, but was not flushed to disk: {why}. Make a backup."
            )

    def _explain(self, error: Exception) -> ArkError:
        import duckdb

        text = str(error)
        if failure := of_disk(error, self.path.parent):
            return failure
        if isinstance(error, (duckdb.InternalException, duckdb.FatalException)) or BROKEN.search(text):
            return StoreError(f"The store {self.path} is damaged: {text.splitlines()[0]}", self.way_back())
        return StoreError(
            f"The store refused: {text.splitlines()[0]}",
            Hint.run("doctor", say="Run `{}` to see what is wrong."),
        )


def _link(path: Path, to: Path) -> None:
    """Hard-link a file to another name; copy it if the disk has no hard links."""
    try:
        to.hardlink_to(path)
    except OSError:
        shutil.copyfile(path, to)
    to.chmod(0o600)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _rows(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, int]:
    """The number of rows of each table in an attached file."""
    tables = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY 1", [database]
    ).fetchall()
    counts = {str(name): f"SELECT count(*) FROM {database}.{name}" for (name,) in tables}
    return {name: int(connection.execute(sql).fetchall()[0][0]) for name, sql in counts.items()}
