"""A lease: one transaction on the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType

    import duckdb
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Clock

Row = tuple[Any, ...]
Name = Literal["pins", "models", "owners"]
KEPT, LONG = 500, 2_000  # parsed statements in the cache; length of statements that are not cached

SEVERAL = 128
"""Rows from which on they are passed as arrays: a list costs DuckDB half a microsecond per value."""

NEAR = 2_048
"""A range of numbers that spans at most two of DuckDB's vectors, if rows are in order."""

NUMBERS = ("BIGINT", "INTEGER", "TINYINT")

AT_HAND = "at_hand"
"""The name of passed rows in a statement."""

SCHEMA = Path(__file__).with_name("schema.sql")


@cache
def columns() -> dict[str, dict[str, str]]:
    """The columns of each table with their SQL types, in the order of the schema."""
    schema = re.sub(r"--.*", "", SCHEMA.read_text("utf-8"))
    return {
        table: dict(re.findall(r"(?:^|,)\s*(\w+) ([A-Z]+(?:\[\])?)", body))
        for table, body in re.findall(r"CREATE TABLE ark\.(\w+) \(([^;]*)\);", schema)
    }


def among(numbers: Iterable[int]) -> str:
    """`IN (…)` over a few numbers.

    Close numbers are listed literally, so that DuckDB can skip other row groups. Distant numbers are joined
    instead, because a list would make DuckDB decompress everything between them.
    """
    wanted = [int(number) for number in numbers]
    listed = ", ".join(map(str, wanted))
    if wanted and max(wanted) - min(wanted) > NEAR:
        return f"IN (SELECT unnest([{listed}]::BIGINT[]))"
    return f"IN ({listed or 'NULL'})"


def of_many(column: str, numbers: Collection[int]) -> tuple[str, list[int], int, int] | tuple[str, int]:
    """The condition for many numbers, with its values: their range lets DuckDB skip the rest.

    Listed literally as in `among`, thousands of numbers would take longer to parse than to find. A single
    number is compared: a join takes three times as long.
    """
    if len(numbers) == 1:
        return f"{column} = ?", next(iter(numbers))
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"{column} IN (SELECT unnest(?::BIGINT[])) AND {column} BETWEEN ? AND ?", [*numbers], least, most


def _array(kind: str, rows: Sequence[Sequence[Any]], column: int) -> NDArray[Any]:
    """A column of rows as an array: of integers if none is missing, else of objects."""
    import numpy as np

    values = [row[column] for row in rows]
    if kind in NUMBERS and None not in values:
        return np.array(values, np.int64)
    found = np.empty(len(values), object)
    found[:] = values
    return found


class Lease:
    """A transaction. Its tables are named `ark.…`; every result is fetched at once."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, now: Clock, parsed: dict[str, duckdb.Statement]
    ) -> None:
        self._connection = connection
        self._parsed = parsed  # shared with earlier leases
        self.now = now.now
        self.wrote = False
        self.change: int | None = None  # the latest change number taken by this lease
        self.changed: set[Name] = set()  # the names of cached state that it has changed

    @property
    def moment(self) -> datetime:
        """The current time as it is stored: in UTC, without a time zone."""
        return self.now().replace(tzinfo=None)

    def _execute(self, sql: str, values: Sequence[Any]) -> duckdb.DuckDBPyConnection:
        """Run a statement; parsed statements are cached, since parsing takes a third of the time."""
        if (statement := self._parsed.get(sql)) is None:
            (statement,) = self._connection.extract_statements(sql)
            if len(self._parsed) >= KEPT:
                self._parsed.clear()
            if len(sql) < LONG:
                self._parsed[sql] = statement
        return self._connection.execute(statement, values)

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Run a statement and fetch all rows."""
        return self._execute(sql, values).fetchall()

    def columns(self, sql: str, *values: Any) -> dict[str, NDArray[Any]]:
        """As `rows`, by column; for hundreds of thousands of numbers."""
        found: dict[str, NDArray[Any]] = self._execute(sql, values).fetchnumpy()
        return found

    def row(self, sql: str, *values: Any) -> Row | None:
        """The first row, or None."""
        rows = self.rows(sql, *values)
        return rows[0] if rows else None

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, *values)
        return row[0] if row else None

    def numbers(self, sql: str, *values: Any) -> list[int]:
        """The first column of all rows, as integers."""
        return [int(row[0]) for row in self.rows(sql, *values)]

    def number(self, sql: str, *values: Any) -> int | None:
        """As `value`, as an integer."""
        found = self.value(sql, *values)
        return None if found is None else int(found)

    def count(self, sql: str, *values: Any) -> int:
        """An integer that is never NULL."""
        return int(self.value(sql, *values))

    def end(self) -> None:
        """End the lease; it holds no connection any more."""
        del self._connection

    def read_through(self) -> dict[str, int]:
        """Read every value of every table; returns the number of rows per table.

        DuckDB verifies the checksum of each block that it reads.
        """
        tables = self.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'ark'")
        return {
            str(name): int(self.rows(f'SELECT count(*), bit_xor(hash(t)) FROM ark."{name}" t')[0][0])
            for (name,) in tables
        }

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement that changes something."""
        self.wrote = True
        self._execute(sql, values).fetchall()

    def again(self) -> None:
        """Begin again after a failed statement, before any change."""
        for statement in ("ROLLBACK", "BEGIN"):
            self._connection.execute(statement).fetchall()

    def script(self, sql: str) -> None:
        """Run several statements in order."""
        self.wrote = True
        for statement in self._connection.extract_statements(sql):
            self._connection.execute(statement).fetchall()

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows with one statement; their values are those of the table's first columns."""
        if not rows:
            return
        kinds = list(columns()[table.removeprefix("trashed_")].items())[: len(rows[0])]
        names = ", ".join(name for name, _ in kinds)
        if len(rows) < SEVERAL:
            picked = ", ".join(f"unnest(?::{kind}[])" for _, kind in kinds)
            values = ([row[i] for row in rows] for i in range(len(kinds)))
            self.run(f"INSERT INTO ark.{table} ({names}) SELECT {picked}", *values)
            return
        picked = ", ".join(f"{name}::{kind}" for name, kind in kinds)
        arrays = {name: _array(kind, rows, i) for i, (name, kind) in enumerate(kinds)}
        self._connection.register(AT_HAND, arrays)
        try:
            self.run(f"INSERT INTO ark.{table} ({names}) SELECT {picked} FROM {AT_HAND}")
        finally:
            self._connection.unregister(AT_HAND)

    def insert_new(
        self, table: str, parts: str, several: Iterable[tuple[Sequence[Any], Sequence[Sequence[Any]]]]
    ) -> None:
        """Insert rows that begin with an id, with their parts, unless the id exists."""
        by_id = {str(row[0]): (row, own) for row, own in several}
        if not by_id:
            return
        there = self.rows(f"SELECT id FROM ark.{table} WHERE id IN (SELECT unnest(?::VARCHAR[]))", [*by_id])
        for (id_,) in there:
            del by_id[str(id_)]
        self.insert(table, [row for row, _ in by_id.values()])
        self.insert(parts, [one for _, own in by_id.values() for one in own])

    def delete(self, table: str, column: str, values: Iterable[Any], kind: str = "BIGINT") -> None:
        """Delete the rows whose column holds one of the values."""
        wanted = list(values)
        if len(wanted) == 1:
            self.run(f"DELETE FROM ark.{table} WHERE {column} = ?::{kind}", wanted[0])
        elif wanted:
            self.run(f"DELETE FROM ark.{table} WHERE {column} IN (SELECT unnest(?::{kind}[]))", wanted)

    def take(self, counter: str, count: int = 1) -> int:
        """Reserve `count` numbers of a counter and return the first. Numbers are never reused."""
        self.wrote = True
        last = self.value(
            "UPDATE ark.counters SET value = value + ? WHERE name = ? RETURNING value", count, counter
        )
        assert last is not None, counter
        if counter == "change":
            self.change = int(last)
        return int(last) - count + 1


class LazyLease:
    """A lease that is opened at its first call; further calls return the same one."""

    def __init__(self, take: Callable[[], AbstractContextManager[Lease]]) -> None:
        self._take = take
        self._stack = ExitStack()
        self._lease: Lease | None = None

    def __call__(self) -> Lease:
        if self._lease is None:
            self._lease = self._stack.enter_context(self._take())
        return self._lease

    def close(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        """Close the lease, passing an exception if there was one; the next call opens another."""
        self._lease = None
        self._stack.__exit__(kind, error, trace)
