"""The store: one DuckDB file, attached for one transaction and let go.

DuckDB gives one process the file and shuts all others out, so nobody keeps it: a lease waits its turn,
attaches, runs one transaction, fetches everything, detaches. One connection to `:memory:` lives as long
as the process, which makes an attach cost half a millisecond whatever the size of the store.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, Hint, StoreError, StoreLocked
from ark_tui.domain.failures import of_disk
from ark_tui.domain.protocols import Clock, OnWait, ignore
from ark_tui.domain.wording import counted
from ark_tui.settings.home import remove, sync_folder
from ark_tui.store import blocks, migrations, models, overrides, owners, published, waiting
from ark_tui.store.lease import Lease
from ark_tui.store.left import Left
from ark_tui.store.locking import FileLock, Holder

if TYPE_CHECKING:
    import duckdb

    from ark_tui.settings import Home

CHANGE = "change"
CONFIG = {
    "memory_limit": "2GB",
    "allocator_background_threads": "true",  # gives back what is free, also where no statement follows
    "threads": "2",  # of a large store
    "default_block_size": "32768",  # of a new file, instead of 262144: each small write is whole blocks
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # a table of the store's is never a variable of ours
}
LOCKDOWN = (
    "checkpoint_on_detach = 'DISABLED'",
    "checkpoint_threshold = '1TB'",  # never within a COMMIT, which a failing checkpoint would end as refused
    "enable_progress_bar = false",
    "enable_external_access = false",
    "lock_configuration = true",
)
"""Whatever statement runs: no file outside of the home, no extension, and none of this is taken back."""
LARGE = 64 << 20  # bytes; in a smaller one most statements wait longer for a second thread than they gain
ROWS = 30_720  # of a row group, instead of 122880: folding the log in writes the last one of a table anew
REWRITES = 2  # attempts to write the store anew while others go on
FOREIGN = "Could not set lock on file"
TORN = "Corrupt database file"
HOLDER = re.compile(r"held in (?P<command>.+?) \(PID (?P<process>\d+)\)")
BROKEN = re.compile("not a valid DuckDB|corrupt|Could not read|deserialize|Is a directory", re.IGNORECASE)
LOG_BYTES = 256 << 10  # of write-ahead log: more is folded in at once, for it is replayed at every attach
LOG_SHARE, LOG_MOST = (
    8,
    16 << 20,
)  # of a large store, one part in so many: folding in costs as much as replaying


@contextmanager
def _unless_held() -> Iterator[None]:
    """Errors of the store do not matter, unless another process has it."""
    try:
        yield
    except StoreLocked:
        raise
    except StoreError:
        return


def _link(path: Path, to: Path) -> None:
    """Give a file another name, without another copy where the disk can do that."""
    try:
        to.hardlink_to(path)
    except OSError:
        import shutil

        shutil.copyfile(path, to)
    to.chmod(0o600)


def _remove(path: Path) -> None:
    """Remove a store's file with its log."""
    for one in (path, path.with_name(f"{path.name}.wal")):
        one.unlink(missing_ok=True)


def _rows(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, int]:
    """How many rows each table of an attached file has."""
    tables = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY 1", [database]
    ).fetchall()
    counts = {str(name): f"SELECT count(*) FROM {database}.{name}" for (name,) in tables}
    return {name: int(connection.execute(sql).fetchall()[0][0]) for name, sql in counts.items()}


def _latest(lease: Lease) -> int:
    return lease.count("SELECT value FROM ark.counters WHERE name = 'change'")


def _told(lease: Lease, change: int) -> dict[str, str]:
    """All that is told of a store as of its latest change."""
    return {
        published.PINS: overrides.pinned(lease),
        published.MODELS: models.record(lease).dumped(),
        published.LEARNED: published.another(),
        published.OWNERS: owners.whose(lease, change).dumped(),
    }


class Store:
    """The leases of one home. Thread-safe; threads of one process take turns."""

    def __init__(self, home: Home, clock: Clock, timeout: float = 5.0, on_wait: OnWait = ignore) -> None:
        self.home = home
        self.path: Path = home.store
        self._clock = clock
        self.turn = FileLock(home.locks, timeout, on_wait)
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._parsed: dict[str, duckdb.Statement] = {}  # what leases have run, by their SQL
        self._reading: int | None = None  # the file, during a checkpoint
        self.mended: list[str] = []  # what this process has found damaged and rebuilt, in sentences
        self._checked: tuple[int, int] | None = None  # device and inode whose schema has been looked at
        self._opening = threading.Lock()
        self._told: dict[str, tuple[tuple[int, int] | None, str]] = {}  # by name: as of which file, what

    @property
    def log(self) -> Path:
        """DuckDB's write-ahead log: what was committed and is not in the file yet."""
        return self.path.with_name(f"{self.path.name}.wal")

    def state(self) -> Left:
        """Its files as they are: the same value means that nothing was committed meanwhile."""
        return Left.now(self.path)

    @property
    def opened(self) -> bool:
        """Whether DuckDB is loaded and at work."""
        return self._connection is not None

    @property
    def _spill(self) -> Path:
        """Where DuckDB puts what does not fit into its memory."""
        return self.path.with_name("spill")

    @contextmanager
    def read(self) -> Iterator[Lease]:
        """A lease that only reads; several processes may hold one at once."""
        self._prepare()
        self._take_up(waiting.SEARCHES)
        with self.turn.hold(shared=True), self._attached(read_only=True) as lease:
            yield lease

    @contextmanager
    def write(self) -> Iterator[Lease]:
        """A lease that may change things: committed when the block ends, rolled back when it raises."""
        self._prepare()
        with self.turn.hold(shared=False):
            with self._attached(read_only=False) as lease:
                taken = self._take_in(lease, waiting.found(self.home.locks))
                yield lease
                told = lease.told | self._whose(lease)
            self._taken(*taken)
            self._tell(lease.change, told)

    def change(self) -> int:
        """The number of the latest change, by a look at one small file; 0 before the first."""
        text = published.read(self.home.locks / CHANGE)
        if text is not None:
            return int(text)
        return self.announce()[0] if self.path.exists() else 0

    def pulse(self) -> int:
        """A number that grows with every transaction that changed anything; likewise."""
        return self.turn.total()

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents, by a look at one small file: hits are marked without a lease."""
        return frozenset(self._published(published.PINS).split())

    def learned(self) -> tuple[int, str]:
        """What is another once documents, patterns or rules are, likewise."""
        return self.change(), self._told_now(published.LEARNED)  # two writes may have the same time

    def models(self) -> models.Record:
        """Which models are used, likewise."""
        return models.Record.loaded(self._published(published.MODELS))

    def whose(self) -> frozenset[owners.Pair]:
        """Of whom there are memories, likewise; of some there may be none any more."""
        change, known = self.change(), owners.Whose.loaded(self._published(published.OWNERS))
        if known.change < change:  # whoever changed something did not know that this is told
            known = owners.Whose.loaded(self.announce()[1][published.OWNERS])
        return known.pairs

    def _published(self, name: str) -> str:
        path = self.home.locks / name
        if name not in self._told or self._told[name][0] != published.seen(path):
            text = self._told_now(name)
            self._told[name] = published.seen(path), text
        return self._told[name][1]

    def _told_now(self, name: str) -> str:
        text = published.read(self.home.locks / name)
        if text is None:
            return self.announce()[1][name] if self.path.exists() else ""
        return text

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, if there is one.

        Where that fails, the log stays, is read at every attach, and is folded in later.
        """
        if self._checked is not None and self.path.exists() and self.turn.pending():
            with suppress(StoreError), self.turn.hold(shared=False):
                self._fold()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The file itself, checkpointed, with nobody attached: for copying and replacing it."""
        self._prepare()
        self._take_up()
        with self.turn.hold(shared=False):
            if self._log_size():
                self._fold()
            yield
            self._leave()
            self._checked = None

    def copy(self, folder: Path) -> Path:
        """Copy the store into a folder, with what is still in its log; nothing is written in the home."""
        self._prepare()
        self._take_up()
        import shutil

        copied = self.beside(folder)
        with self.turn.hold(shared=True):
            shutil.copyfile(self.path, copied.path)
            if self._log_size():
                shutil.copyfile(self.log, copied.log)
        return copied.path

    def size(self) -> int:
        """The bytes of the file and its log."""
        return (self.path.stat().st_size if self.path.exists() else 0) + self._log_size()

    def rewrite(self) -> None:
        """Write the file anew, so that nothing of what was deleted is left in its free pages.

        Others wait only while the file is copied and replaced; where somebody writes meanwhile, it begins
        again, and the last time they wait. The new one takes the place of the old by one rename, after it was
        found to hold as many rows.
        """
        import shutil

        before, fresh = (self.path.with_name(f"{self.path.name}.{end}") for end in ("old", "new"))
        try:
            for _ in range(REWRITES):
                with self._folded():
                    state = self._state()
                    shutil.copyfile(self.path, before)
                self._copy_living(before, fresh)
                with self._folded():
                    if self._state() == state:
                        return self._take_over(fresh)
            with self._folded():
                self._copy_living(self.path, fresh)
                self._take_over(fresh)
        except OSError as error:
            raise StoreError(
                f"The store could not be written anew: {error.strerror or error}. It stays as it is.",
                "Make room for two more copies of it, then try again.",
            ) from error
        finally:
            for path in (before, fresh):
                _remove(path)

    @contextmanager
    def _folded(self) -> Iterator[None]:
        """As `alone`, with nothing left in the log."""
        with self.alone():
            if self._log_size():
                raise StoreError("The store's log cannot be folded in; it stays as it is.", "Make some room.")
            yield

    def _copy_living(self, source: Path, fresh: Path) -> None:
        """Write what the tables of a file hold, and nothing else, to another one."""
        import duckdb

        _remove(fresh)
        a, b = (str(path).replace("'", "''") for path in (source, fresh))
        try:
            with duckdb.connect(":memory:", config={**CONFIG}) as copying:
                for statement in (f"ATTACH '{a}' AS source (READ_ONLY)",
                                  f"ATTACH '{b}' AS fresh (ROW_GROUP_SIZE {ROWS})",
                                  "COPY FROM DATABASE source TO fresh", "CHECKPOINT fresh"):  # fmt: skip
                    copying.execute(statement).fetchall()
                if _rows(copying, "fresh") != _rows(copying, "source"):
                    raise StoreError("The store could not be written anew; it stays as it is.", "Try again.")
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _state(self) -> tuple[int, ...]:
        """What is another after a commit, by whichever process, and after another file took the place."""
        stat = self.path.stat()
        return self.turn.total(), stat.st_ino, stat.st_size, stat.st_mtime_ns

    def _take_over(self, fresh: Path) -> None:
        """Put a file in place of the store, and remove what a killed process has spilled. Only alone."""
        fresh.chmod(0o600)
        if self._spill.exists():
            import shutil

            shutil.rmtree(self._spill, ignore_errors=True)
        for path in (self.log, blocks.kept(self.path)):
            path.unlink(missing_ok=True)
        fresh.replace(self.path)
        sync_folder(self.path.parent)

    def replace(self, fresh: Path, kept: Path) -> bool:
        """Put another file in place of the store, and what was there aside, even if it cannot be read.

        Whether there was one. One rename puts the new file there: killed at any moment, it is either.
        """
        with self.turn.hold(shared=False):
            there = self.path.exists()
            if there:
                with _unless_held():  # damaged: what is there is put aside as it is
                    self._fold()
                _link(self.path, kept)
                if self.log.exists():  # it cannot be folded in, and belongs to what is put aside
                    _link(self.log, kept.with_name(f"{kept.name}.wal"))
                    self.log.unlink()
            blocks.kept(self.path).unlink(missing_ok=True)
            self._withhold(published.ALL)
            fresh.replace(self.path)
            self._keep_name()
            self.turn.checkpointed()
            self._leave()
            self._checked = None
        return there

    def _keep_name(self) -> None:
        """See to it that what was put in place is there after a power cut; where that fails, it is said."""
        try:
            sync_folder(self.path.parent)
        except OSError as error:
            why = error.strerror or error
            self.mended.append(f"{self.path} is in place, but its disk may lose it: {why}. Make a backup.")

    def announce(self) -> tuple[int, dict[str, str]]:
        """Tell other processes what they know by a look: the latest change, pins, models."""
        self._prepare()
        with self.turn.hold(shared=True):
            with self._attached(read_only=True) as lease:
                change = _latest(lease)
                told = _told(lease, change)
            self._tell(change, told)
        return change, told

    def tell(self) -> None:
        """Tell what has not been told yet, so that whoever only looks need not open the store for it."""
        if not all((self.home.locks / name).exists() for name in published.ALL):
            self.announce()

    def beside(self, folder: Path) -> Store:
        """A store like this one in a folder of its own."""
        return Store(type(self.home)(folder), self._clock)

    def close(self) -> None:
        """Let the connection and the lock files go."""
        with self.turn.mutex:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self._parsed.clear()  # DuckDB complains of those that are left when the process ends
        self.turn.close()

    # -- inside ------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """See to it, once per file, that the store exists and has today's schema."""
        stat = published.stat(self.path)
        if stat and self._checked == (stat.st_dev, stat.st_ino):
            return
        with self._opening:
            self._connect()  # loading DuckDB takes longer than most leases: nobody waits for it
            version = 0 if self._hollow() else self._version()
            if version not in {0, migrations.LATEST}:
                raise migrations.other_version(f"The store {self.path}", version)
            if version == 0:
                self._create()
            stat = self.path.stat()
            self._checked = (stat.st_dev, stat.st_ino)

    def _take_up(self, *kinds: str) -> None:
        """Keep what waits for somebody who opens the store, or some kinds; where that fails, it goes on."""
        paths = waiting.found(self.home.locks, *([kinds] if kinds else []))
        with suppress(ArkError, OSError):
            if paths:
                with self.turn.hold(shared=False), self._attached(read_only=False) as lease:
                    taken = self._take_in(lease, paths)
                self._taken(*taken)

    def _take_in(self, lease: Lease, paths: Sequence[Path]) -> tuple[Sequence[Path], int]:
        """Put what waits into a transaction that has just begun; what was, and how much was damaged."""
        import duckdb

        try:
            return (paths, waiting.take_up(lease, paths)) if paths else ((), 0)
        except (ArkError, OSError, duckdb.Error):
            lease.again()
            return (), 0

    def _taken(self, paths: Sequence[Path], damaged: int) -> None:
        """Let go of what waited: it is committed."""
        with suppress(OSError):
            for path in paths:
                path.unlink(missing_ok=True)
        if damaged:
            what = counted(damaged, "search or context", "searches or contexts")
            self.mended.append(f"{what} that waited to be kept could not be read.")

    def _hollow(self) -> bool:
        """Whether there is nothing in the file, or no file: whoever made it may have been killed at that."""
        if not self.path.exists():
            return True
        return self.path.is_file() and self.path.stat().st_size <= blocks.HEADERS and not self._log_size()

    def _version(self) -> int:
        """The schema of the file. What a killed process has committed and not told is told now."""
        with self.turn.hold(shared=True):
            with self._attached(read_only=True) as lease:
                version = migrations.version(lease)
                latest = _latest(lease) if version == migrations.LATEST else 0
                told = int(published.read(self.home.locks / CHANGE) or 0)
                what = _told(lease, latest) if latest > told else None
            if what is not None:
                self._tell(latest, what)
        return version

    def _create(self) -> None:
        """Make the store; raises `StoreError` where the one that was there is gone or empty."""
        self.home.create()
        with self.turn.hold(shared=False):
            if not self._hollow():
                with self._attached(read_only=False) as lease:  # another process may have been quicker
                    if migrations.version(lease):
                        return
            elif (self.home.locks / CHANGE).exists():
                raise StoreError(f"The store {self.path} is gone, or empty.", self.way_back())
            else:
                self.path.resolve().unlink(missing_ok=True)
            with self._attached(read_only=False) as lease:
                migrations.create(lease)
                lease.fold = True
                change = _latest(lease)
            self._tell(change, {})

    @contextmanager
    def _attached(self, *, read_only: bool) -> Iterator[Lease]:
        """Attach, one transaction, detach. Only with the turn held."""
        import duckdb

        connection = self._connect()
        lease, logged = Lease(connection, self._clock, self._parsed), 0
        try:
            self._attach(connection, read_only=read_only)
            try:
                logged = self._log_size()
                connection.execute("BEGIN").fetchall()
                try:
                    yield lease
                    self._withhold(lease.told)  # killed from here on, it leaves none that was true before
                    connection.execute("COMMIT").fetchall()
                except BaseException:
                    with suppress(duckdb.Error):  # the failure itself may have ended the transaction
                        connection.execute("ROLLBACK").fetchall()
                    raise
                if lease.wrote and (
                    self.turn.committed() or lease.fold or self._log_size() > self._log_room()
                ):
                    with suppress(duckdb.Error, OSError):  # it is committed: the log is folded in later
                        self._checkpoint(connection)
            finally:
                self._detach(connection)
                if not read_only:
                    self._leave()
        except duckdb.Error as error:
            if lease.wrote:
                self._withdraw(logged)
            raise self._explain(error) from error

    def _withdraw(self, size: int) -> None:
        """Cut what a refused transaction may have left in the log, so that it does not come back.

        DuckDB does so itself unless a sync fails, too. Raises `StoreError` where it cannot be cut.
        """
        if self._log_size() <= size:
            return
        try:
            os.truncate(self.log, size)
            self._leave()
        except OSError as error:
            raise StoreError(
                f"The disk that holds {self.path.parent} fails: {error.strerror}. "
                "The last change may be kept or not.",
                "Look whether it is there before you do it again, and make a backup to another disk.",
            ) from error

    def _log_size(self) -> int:
        try:
            return self.log.stat().st_size
        except FileNotFoundError:
            return 0

    def _log_room(self) -> int:
        """How large it may become: folded in by equal parts, a growing store would be written ever anew."""
        return max(LOG_BYTES, min(self.path.stat().st_size // LOG_SHARE, LOG_MOST))

    def _fold(self) -> None:
        """Fold the log in, outside of any transaction. Only with the turn held alone."""
        import duckdb

        connection = self._connect()
        try:
            self._attach(connection, read_only=False)
            try:
                self._checkpoint(connection)
            finally:
                self._detach(connection)
                self._leave()
        except (duckdb.Error, OSError) as error:
            raise self._explain(error) from error

    def _checkpoint(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Fold the log in; what DuckDB writes anew in place is kept beside the file meanwhile."""
        size, found = (
            connection.execute(f"SELECT {what} FROM pragma_{whose}").fetchall()
            for what, whose in (
                ("block_size", "database_size() WHERE database_name = 'ark'"),
                ("DISTINCT block_id", "metadata_info('ark')"),
            )
        )
        self._reading = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        blocks.keep(self.path, self._reading, (int(row[0]) for row in found), int(size[0][0]))
        connection.execute("CHECKPOINT ark").fetchall()
        blocks.kept(self.path).unlink(missing_ok=True)
        self.turn.checkpointed()

    def _attach(self, connection: duckdb.DuckDBPyConnection, *, read_only: bool) -> None:
        """Attach the file, as soon as no program that knows nothing of turns has it any more."""
        import duckdb

        left, now = Left.read(self.home.locks), Left.now(self.path)
        if left and left.lost(now):
            raise StoreError(
                f"The store {self.path} has lost what was written last: its log is damaged.",
                Hint.run("doctor", repair=True, say="Go on without it: {}. ") + self.way_back(),
            )
        path = str(self.path).replace("'", "''")
        how = "READ_ONLY" if read_only else f"ROW_GROUP_SIZE {ROWS}"
        statement = f"ATTACH '{path}' AS ark ({how})"

        def attempt() -> Holder | None:
            try:
                connection.execute(statement).fetchall()
            except duckdb.Error as error:
                if TORN in str(error) and blocks.put_back(self.path):
                    connection.execute(statement).fetchall()
                    return None
                if FOREIGN not in str(error):
                    raise
                held = HOLDER.search(str(error))
                return Holder(int(held["process"]), Path(held["command"]).name) if held else Holder(0, "")
            return None

        self.turn.outlast(attempt)
        if not read_only and left != now:
            try:
                Lease(connection, self._clock, self._parsed).read_through()
            except duckdb.Error:
                self._detach(connection)
                raise

    def verify(self) -> None:
        """Read everything; raises `StoreError` where the file is damaged."""
        with self.read() as lease:
            lease.read_through()

    def lost(self, *, accept: bool = False) -> bool:
        """Whether the log has lost what was written last; `accept`: go on without it."""
        left, now = Left.read(self.home.locks), Left.now(self.path)
        if left is None or not left.lost(now):
            return False
        if accept:
            now.write(self.home.locks)
        return True

    def _detach(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Detach, or else drop the connection: a file that stays locked would shut everybody out."""
        import duckdb

        try:
            connection.execute("DETACH ark").fetchall()
        except duckdb.Error:
            connection.close()
            self._connection = None
        if self._reading is not None:
            os.close(self._reading)  # not before: any `close` of the file ends DuckDB's lock on it
            self._reading = None

    def _leave(self) -> None:
        """Tell the next writer how the files are; where that cannot be told, it reads them all."""
        with suppress(OSError):
            Left.now(self.path).write(self.home.locks)

    def _connect(self) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            import duckdb

            fresh = duckdb.connect(":memory:", config={**CONFIG, **self._own()})
            places = {str(self.path.parent), str(self.path.resolve().parent)}
            fresh.execute("SET allowed_directories = ?", [sorted(places)]).fetchall()
            for setting in LOCKDOWN:
                fresh.execute(f"SET {setting}").fetchall()
            self._connection = fresh  # not before: another thread may be within its lease
        return self._connection

    def _own(self) -> dict[str, str]:
        """What the configuration has of this store alone."""
        own = {"temp_directory": str(self._spill)}
        try:
            large = self.path.stat().st_size >= LARGE
        except OSError:  # there is none yet, or none can be: attaching it says why
            large = False
        return own if large else {**own, "threads": "1"}

    def _tell(self, change: int | None, told: Mapping[str, str]) -> None:
        """Publish what a commit has changed; where that fails, whoever opens the store next does it."""
        try:
            for name, text in told.items():
                published.write(self.home.locks / name, text)
            if change is not None:  # others only `stat` this file
                published.write(self.home.locks / CHANGE, f"{change:020}")
        except OSError:
            self._checked = None
            with suppress(OSError):
                (self.home.locks / CHANGE).unlink()

    def _whose(self, lease: Lease) -> dict[str, str]:
        """Of whom there are memories after a lease: of whom there were, and those that it has put in."""
        if lease.change is None and not lease.owned:
            return {}
        told, before = (published.read(self.home.locks / name) for name in (published.OWNERS, CHANGE))
        known = owners.Whose.loaded(told or "")
        if told is None or before is None or known.change != int(before):
            now = owners.whose(lease, _latest(lease))
        else:
            now = owners.Whose(lease.change or known.change, known.pairs | lease.owned)
        return {published.OWNERS: now.dumped()}

    def _withhold(self, told: Iterable[str]) -> None:
        """Take back what was told: whoever wants to know asks the store."""
        for name in told:
            remove(self.home.locks / name)

    def way_back(self) -> str:
        """What to do about a damaged store: the command, with the latest copy that `restore` takes."""
        import zipfile

        found = (path for path in self.home.backups.glob("*.zip") if zipfile.is_zipfile(path))
        copies = sorted(found, key=lambda path: path.stat().st_mtime)
        if copies:
            return Hint.run("restore", copies[-1], say="Bring back the latest copy: {}")
        return Hint.run(
            "restore",
            say="There is no backup in the home. Put the file aside and index your folders again; a copy of "
            "your own comes back with `{}`.",
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
