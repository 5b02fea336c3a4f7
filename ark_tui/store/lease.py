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
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, StoreError
from ark_tui.domain.protocols import OnWait, ignore
from ark_tui.domain.work import Upgrade
from ark_tui.settings.home import write_file
from ark_tui.store import migrations
from ark_tui.store.queue import Holder, Turn

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Clock
    from ark_tui.settings import Home

Row = tuple[Any, ...]

MEMORY_LIMIT = "2GB"
PINS = "pins"
FOREIGN = "Could not set lock on file"
HOLDER = re.compile(r"held in (?P<command>.+?) \(PID (?P<process>\d+)\)")
LOG_BYTES = 256 << 10  # of write-ahead log: more is folded in at once, for it is replayed at every attach


def among(numbers: Iterable[int]) -> str:
    """`IN (…)` over a few numbers; written out, they let DuckDB skip what does not hold them."""
    return f"IN ({', '.join(str(int(number)) for number in numbers) or 'NULL'})"


class Lease:
    """A transaction in progress. Its tables are named `ark.…`; every result is fetched at once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, now: Clock) -> None:
        self._connection = connection
        self.now = now.now
        self.wrote = False
        self.fold = False  # whether the log is to be folded in at once, for much was written
        self.change: int | None = None  # the latest change number this lease has given out
        self.pins: list[str] | None = (
            None  # the ids of all pinned documents, once this lease has changed them
        )

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Run a statement and fetch all it returns."""
        return self._connection.execute(sql, values).fetchall()

    def columns(self, sql: str, *values: Any) -> dict[str, NDArray[Any]]:
        """As `rows`, by column: for numbers by the hundred thousand."""
        found: dict[str, NDArray[Any]] = self._connection.execute(sql, values).fetchnumpy()
        return found

    def row(self, sql: str, *values: Any) -> Row | None:
        """The first row, or None."""
        rows = self.rows(sql, *values)
        return rows[0] if rows else None

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, *values)
        return row[0] if row else None

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement that changes something."""
        self.wrote = True
        self._connection.execute(sql, values).fetchall()

    def script(self, sql: str) -> None:
        """Run the statements of a file, one after the other."""
        self.wrote = True
        for statement in self._connection.extract_statements(sql):
            self._connection.execute(statement).fetchall()

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows by one statement; `columns` maps names to SQL types, in the rows' order."""
        if not rows:
            return
        picked = ", ".join(f"unnest(?::{kind}[])" for kind in columns.values())
        self.run(
            f"INSERT INTO ark.{table} ({', '.join(columns)}) SELECT {picked}",
            *([row[i] for row in rows] for i in range(len(columns))),
        )

    def delete(self, table: str, column: str, values: Iterable[Any], kind: str = "BIGINT") -> None:
        """Delete the rows whose column holds one of the values."""
        wanted = list(values)
        if wanted:
            self.run(f"DELETE FROM ark.{table} WHERE {column} IN (SELECT unnest(?::{kind}[]))", wanted)

    def take_all(self, counts: Mapping[str, int]) -> dict[str, int]:
        """As `take`, of several counters by one statement; none of them that of the changes."""
        assert "change" not in counts
        self.wrote = True
        cases = " ".join(f"WHEN '{name}' THEN {int(count)}" for name, count in counts.items())
        names = ", ".join(f"'{name}'" for name in counts)
        found = self.rows(
            f"UPDATE ark.counters SET value = value + CASE name {cases} END WHERE name IN ({names}) "
            "RETURNING name, value"
        )
        return {str(name): int(last) - counts[name] + 1 for name, last in found}

    def take(self, counter: str, count: int = 1) -> int:
        """Reserve `count` numbers of a counter and return the first. Numbers are never given out twice."""
        self.wrote = True
        last = self.value(
            "UPDATE ark.counters SET value = value + ? WHERE name = ? RETURNING value", count, counter
        )
        assert last is not None, counter
        if counter == "change":
            self.change = int(last)
        return int(last) - count + 1


def _latest(lease: Lease) -> int:
    return int(lease.value("SELECT value FROM ark.counters WHERE name = 'change'"))


class Store:
    """The leases of one home. Thread-safe; threads of one process take turns."""

    def __init__(self, home: Home, clock: Clock, timeout: float = 5.0, on_wait: OnWait = ignore) -> None:
        self.home = home
        self.path: Path = home.store
        self._clock = clock
        self.turn = Turn(home.locks, timeout, on_wait)
        self._connection: duckdb.DuckDBPyConnection | None = None
        self.upgrade: Upgrade | None = None  # that this store has carried out
        self._checked: tuple[int, int] | None = None  # device and inode whose schema has been looked at
        self._opening = threading.Lock()
        self._pins: tuple[tuple[int, int], frozenset[str]] | None = None  # as of which file

    @contextmanager
    def read(self) -> Iterator[Lease]:
        """A lease that only reads; several processes may hold one at once."""
        self._prepare()
        with self.turn.hold(shared=True), self._attached(read_only=True) as lease:
            yield lease

    @contextmanager
    def write(self) -> Iterator[Lease]:
        """A lease that may change things: committed when the block ends, rolled back when it raises."""
        self._prepare()
        with self.turn.hold(shared=False):
            with self._attached(read_only=False) as lease:
                yield lease
            if lease.change is not None:
                self._publish(lease.change)
            if lease.pins is not None:
                self._publish_pins(lease.pins)

    def change(self) -> int:
        """The number of the latest change, by a look at one small file; 0 before the first."""
        try:
            return int((self.home.locks / "change").read_bytes() or b"0")
        except (FileNotFoundError, NotADirectoryError):
            return 0

    def pulse(self) -> int:
        """A number that grows with every transaction that changed anything; likewise."""
        return self.turn.total()

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents, by a look at one small file: hits are marked without a lease."""
        try:
            stat = (self.home.locks / PINS).stat()
            if self._pins is None or self._pins[0] != (stat.st_mtime_ns, stat.st_ino):
                ids = frozenset((self.home.locks / PINS).read_text("ascii").split())
                self._pins = (stat.st_mtime_ns, stat.st_ino), ids
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()
        return self._pins[1]

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, if there is one; one that was refused stays as it is."""
        if self._checked is not None and self.path.exists() and self.turn.pending():
            with self.turn.hold(shared=False):
                self._bare(["CHECKPOINT ark"])
                self.turn.checkpointed()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The file itself, checkpointed, with nobody attached: for copying and replacing it."""
        self._prepare()
        with self.turn.hold(shared=False):
            if self.path.exists():
                self._bare(["CHECKPOINT ark"])
                self.turn.checkpointed()
            yield
            self._checked = None

    def rewrite(self) -> None:
        """Write the file anew, so that nothing of what was deleted is left in its free pages.

        The new one takes the place of the old by one rename, after it was found to hold as many rows.
        """
        fresh = self.path.with_name(f"{self.path.name}.new")
        logs = [path.with_name(f"{path.name}.wal") for path in (fresh, self.path)]
        for path in (fresh, logs[0]):
            path.unlink(missing_ok=True)
        with self.alone():
            quoted = str(fresh).replace("'", "''")
            self._bare(
                [
                    f"ATTACH '{quoted}' AS fresh",
                    "COPY FROM DATABASE ark TO fresh",
                    "CHECKPOINT fresh",
                    "DETACH fresh",
                ]
            )
            if self._rows(fresh) != self._rows(self.path):
                raise StoreError("The store could not be written anew; it stays as it is.", "Try again.")
            fresh.chmod(0o600)
            for path in logs:
                path.unlink(missing_ok=True)
            fresh.replace(self.path)

    def announce(self) -> None:
        """Tell other processes that the store is another one than before."""
        from ark_tui.store import said

        self._prepare()
        with self.turn.hold(shared=True):
            with self._attached(read_only=True) as lease:
                change, pins = _latest(lease), said.pinned(lease)
            self._publish(change)
            self._publish_pins(pins)

    def beside(self, folder: Path) -> Store:
        """A store like this one in a folder of its own."""
        return Store(type(self.home)(folder), self._clock)

    def close(self) -> None:
        """Let the connection and the lock files go."""
        with self.turn.mutex:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
        self.turn.close()

    # -- inside ------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """See to it, once per file, that the store exists and has today's schema."""
        try:
            stat = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            stat = None
        if stat and self._checked == (stat.st_dev, stat.st_ino):
            return
        with self._opening:
            self._connect()  # loading DuckDB takes longer than most leases: nobody waits for it
            version = self._version() if stat and stat.st_size else 0
            if version > migrations.LATEST:
                raise StoreError(
                    f"The store {self.path} has schema {version}; this program knows {migrations.LATEST}.",
                    "Install a newer ark-tui, or point ARK_HOME at another home.",
                )
            if version < migrations.LATEST:
                self._migrate(version)
            stat = self.path.stat()
            self._checked = (stat.st_dev, stat.st_ino)

    def _version(self) -> int:
        with self.turn.hold(shared=True), self._attached(read_only=True) as lease:
            return migrations.version(lease.rows)

    def _migrate(self, version: int) -> None:
        self.home.create()
        with self.turn.hold(shared=False):
            if self.path.exists() and self.path.stat().st_size:
                with self._attached(read_only=False) as lease:  # another process may have been quicker
                    version = migrations.version(lease.rows)
                if version == migrations.LATEST:
                    return
                if version:
                    self._bare(["CHECKPOINT ark"])
                    copy = migrations.keep_copy(self.path, self.home.backups, version)
                    self.upgrade = Upgrade(version, migrations.LATEST, str(copy))
            with self._attached(read_only=False) as lease:
                migrations.apply(lease, version)
                lease.fold = True
                change = _latest(lease)
            self.turn.checkpointed()
            self._publish(change)

    @contextmanager
    def _attached(self, *, read_only: bool) -> Iterator[Lease]:
        """Attach, one transaction, detach. Only with the turn held."""
        import duckdb

        connection = self._connect()
        try:
            self._attach(connection, read_only=read_only)
            lease = Lease(connection, self._clock)
            try:
                connection.execute("BEGIN").fetchall()
                try:
                    yield lease
                    connection.execute("COMMIT").fetchall()
                except BaseException:
                    with suppress(duckdb.Error):  # the failure itself may have ended the transaction
                        connection.execute("ROLLBACK").fetchall()
                    raise
                if lease.wrote and (self.turn.committed() or lease.fold or self._log_size() > LOG_BYTES):
                    connection.execute("CHECKPOINT ark").fetchall()
            finally:
                self._detach(connection)
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _rows(self, path: Path) -> dict[str, int]:
        """How many rows each table of a file has. Only with the turn held."""
        connection = self._connect()
        quoted = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS counted (READ_ONLY)").fetchall()
        try:
            tables = connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'counted' ORDER BY 1"
            ).fetchall()
            return {
                str(name): int(connection.execute(f"SELECT count(*) FROM counted.{name}").fetchall()[0][0])
                for (name,) in tables
            }
        finally:
            connection.execute("DETACH counted").fetchall()

    def _log_size(self) -> int:
        try:
            return self.path.with_name(self.path.name + ".wal").stat().st_size
        except FileNotFoundError:
            return 0

    def _bare(self, statements: Sequence[str]) -> None:
        """Statements that want no transaction around them."""
        import duckdb

        connection = self._connect()
        try:
            self._attach(connection, read_only=False)
            try:
                for statement in statements:
                    connection.execute(statement).fetchall()
            finally:
                self._detach(connection)
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _attach(self, connection: duckdb.DuckDBPyConnection, *, read_only: bool) -> None:
        """Attach the file, as soon as no program that knows nothing of turns has it any more."""
        import duckdb

        path = str(self.path).replace("'", "''")
        statement = f"ATTACH '{path}' AS ark" + (" (READ_ONLY)" if read_only else "")

        def attempt() -> Holder | None:
            try:
                connection.execute(statement).fetchall()
            except duckdb.IOException as error:
                if FOREIGN not in str(error):
                    raise
                held = HOLDER.search(str(error))
                return Holder(int(held["process"]), Path(held["command"]).name) if held else Holder(0, "")
            return None

        self.turn.outlast(attempt)

    def _detach(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Detach, or else drop the connection: a file that stays locked would shut everybody out."""
        import duckdb

        try:
            connection.execute("DETACH ark").fetchall()
        except duckdb.Error:
            connection.close()
            self._connection = None

    def _connect(self) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            import duckdb

            self._connection = duckdb.connect(
                ":memory:", config={"memory_limit": MEMORY_LIMIT, "threads": "2"}
            )
            self._connection.execute("SET checkpoint_on_detach = 'DISABLED'").fetchall()
            self._connection.execute("SET enable_progress_bar = false").fetchall()
        return self._connection

    def _publish(self, change: int) -> None:
        """Tell other processes, who only `stat` this file, that there is something new."""
        file = os.open(self.home.locks / "change", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, b"%020d" % change, 0)
        finally:
            os.close(file)

    def _publish_pins(self, ids: Sequence[str]) -> None:
        write_file(self.home.locks / PINS, "\n".join(ids).encode("ascii"))

    def _way_back(self) -> str:
        """What to do about a damaged store: the command, with the latest copy that `restore` takes."""
        copies = sorted(self.home.backups.glob("*.zip"), key=lambda path: path.stat().st_mtime)
        if copies:
            return f"Bring back the latest copy: ark-tui restore {copies[-1]}"
        return (
            "There is no backup in the home. Put the file aside and index your folders again; a copy of your "
            "own comes back with `ark-tui restore`."
        )

    def _explain(self, error: duckdb.Error) -> ArkError:
        text = str(error)
        if "No space left" in text or "out of disk" in text.lower():
            return StoreError(
                f"The disk that holds {self.path.parent} is full; nothing was changed.",
                "Free some space, then run the same command again: it goes on where it stopped.",
            )
        if "read-only" in text.lower() or "Permission denied" in text:
            return StoreError(
                f"The store {self.path} cannot be written.",
                "Make the home writable, or choose another with ARK_HOME.",
            )
        if "not a valid DuckDB database" in text or "corrupt" in text.lower():
            return StoreError(
                f"The store {self.path} is damaged: {text.splitlines()[0]}",
                self._way_back(),
            )
        return StoreError(
            f"The store refused: {text.splitlines()[0]}", "Run `ark-tui doctor` to see what is wrong."
        )
