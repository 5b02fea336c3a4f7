"""A lease: one transaction on the store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType

    import duckdb
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Clock

Row = tuple[Any, ...]
Name = Literal["pins", "models", "owners"]
KEPT, LONG = 500, 2_000  # statements that are kept parsed, and the letters of one that is not worth it

SEVERAL = 128
"""Rows from which on they are handed over as arrays: a list costs DuckDB half a microsecond a value."""

MANY = 2_000
"""Rows from which on it is worth while to load Arrow for them."""

NEAR = 2_048
"""Numbers that lie no further apart are in two of DuckDB's vectors at most, where rows are in their order."""

NUMBERS = ("BIGINT", "INTEGER", "TINYINT")

AT_HAND = "at_hand"
"""How a statement calls the rows that it is given."""


def among(numbers: Iterable[int]) -> str:
    """`IN (…)` over a few numbers.

    Written out, those that lie close together let DuckDB skip what does not hold them. Of those that lie far
    apart it would unpack all that lies between: they are joined, which looks at their neighbours alone.
    """
    wanted = [int(number) for number in numbers]
    listed = ", ".join(map(str, wanted))
    if wanted and max(wanted) - min(wanted) > NEAR:
        return f"IN (SELECT unnest([{listed}]::BIGINT[]))"
    return f"IN ({listed or 'NULL'})"


def of_many(column: str, numbers: Collection[int]) -> tuple[str, list[int], int, int] | tuple[str, int]:
    """A condition for many numbers, and its values: their span lets DuckDB skip what lies beyond it.

    Written out as by `among`, thousands of them would take longer to parse than to find. One alone is
    compared: a join takes three times as long.
    """
    if len(numbers) == 1:
        return f"{column} = ?", next(iter(numbers))
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"{column} IN (SELECT unnest(?::BIGINT[])) AND {column} BETWEEN ? AND ?", [*numbers], least, most


def _array(kind: str, rows: Sequence[Sequence[Any]], column: int) -> NDArray[Any]:
    """A column of rows: of numbers where there is one in each row, else of what stands there."""
    import numpy as np

    values = [row[column] for row in rows]
    if kind in NUMBERS and None not in values:
        return np.array(values, np.int64)
    found = np.empty(len(values), object)
    found[:] = values
    return found


class Lease:
    """A transaction in progress. Its tables are named `ark.…`; every result is fetched at once."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, now: Clock, parsed: dict[str, duckdb.Statement]
    ) -> None:
        self._connection = connection
        self._parsed = parsed  # of this lease and those before it
        self.now = now.now
        self.wrote = False
        self.change: int | None = None  # the latest change number this lease has given out
        self.changed: set[Name] = set()  # what it has changed of what the store answers without a transaction

    @property
    def moment(self) -> datetime:
        """The present as the store has moments: in UTC, without saying so."""
        return self.now().replace(tzinfo=None)

    def _execute(self, sql: str, values: Sequence[Any]) -> duckdb.DuckDBPyConnection:
        """Run a statement; parsing is a third of what most of them take, so that each is parsed once."""
        if (statement := self._parsed.get(sql)) is None:
            (statement,) = self._connection.extract_statements(sql)
            if len(self._parsed) >= KEPT:
                self._parsed.clear()
            if len(sql) < LONG:
                self._parsed[sql] = statement
        return self._connection.execute(statement, values)

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Run a statement and fetch all it returns."""
        return self._execute(sql, values).fetchall()

    def columns(self, sql: str, *values: Any) -> dict[str, NDArray[Any]]:
        """As `rows`, by column: for numbers by the hundred thousand."""
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
        """The first column of all rows, of whole numbers."""
        return [int(row[0]) for row in self.rows(sql, *values)]

    def number(self, sql: str, *values: Any) -> int | None:
        """As `value`, of a whole number."""
        found = self.value(sql, *values)
        return None if found is None else int(found)

    def count(self, sql: str, *values: Any) -> int:
        """A whole number that there always is."""
        return int(self.value(sql, *values))

    def end(self) -> None:
        """The transaction is over: whoever still has this holds nothing open."""
        del self._connection

    def read_through(self) -> dict[str, int]:
        """Read every value of every table, whose number of rows is returned.

        DuckDB compares the checksum of each block that it reads.
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
        """Begin anew after a statement that failed, before anything was changed."""
        for statement in ("ROLLBACK", "BEGIN"):
            self._connection.execute(statement).fetchall()

    def script(self, sql: str) -> None:
        """Run the statements of a file, one after the other."""
        self.wrote = True
        for statement in self._connection.extract_statements(sql):
            self._connection.execute(statement).fetchall()

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows by one statement; `columns` maps names to SQL types, in the rows' order."""
        if not rows:
            return
        if len(rows) >= SEVERAL:
            arrays = {name: _array(kind, rows, i) for i, (name, kind) in enumerate(columns.items())}
            picked = ", ".join(f"{name}::{kind}" for name, kind in columns.items())
            self._from_hand(arrays, f"INSERT INTO ark.{table} ({', '.join(columns)}) SELECT {picked}")
            return
        picked = ", ".join(f"unnest(?::{kind}[])" for kind in columns.values())
        self.run(
            f"INSERT INTO ark.{table} ({', '.join(columns)}) SELECT {picked}",
            *([row[i] for row in rows] for i in range(len(columns))),
        )

    def insert_new(
        self,
        table: str,
        columns: Mapping[str, str],
        parts: str,
        part_columns: Mapping[str, str],
        several: Iterable[tuple[Sequence[Any], Sequence[Sequence[Any]]]],
    ) -> None:
        """Insert rows that begin with an id, each with its parts, unless they are there already."""
        by_id = {str(row[0]): (row, own) for row, own in several}
        if not by_id:
            return
        there = self.rows(f"SELECT id FROM ark.{table} WHERE id IN (SELECT unnest(?::VARCHAR[]))", [*by_id])
        for (id_,) in there:
            del by_id[str(id_)]
        self.insert(table, columns, [row for row, _ in by_id.values()])
        self.insert(parts, part_columns, [one for _, own in by_id.values() for one in own])

    def fill(self, table: str, columns: Mapping[str, str], values: Mapping[str, Any]) -> None:
        """Insert many rows by column: of each a list, a range, or one value that all rows have.

        `columns` maps names to SQL types. Whatever is no list costs nothing per row here. Of `MANY` rows the
        lists are handed over as Arrow columns, which takes DuckDB a third of the time.
        """
        if any(isinstance(value, list) and len(value) >= MANY for value in values.values()):
            self._fill_many(table, columns, values)
            return
        picked, given = [], []
        for name, kind in columns.items():
            value = values[name]
            if isinstance(value, range):
                picked.append(f"unnest(range(?, ?))::{kind}")
                given += [value.start, value.stop]
            else:
                picked.append(f"unnest(?::{kind}[])" if isinstance(value, list) else f"?::{kind}")
                given.append(value)
        self.run(f"INSERT INTO ark.{table} ({', '.join(columns)}) SELECT {', '.join(picked)}", *given)

    def _fill_many(self, table: str, columns: Mapping[str, str], values: Mapping[str, Any]) -> None:
        import pyarrow as pa

        each = {name: one for name, one in values.items() if isinstance(one, list | range)}
        picked = [f"w.{name}::{kind}" if name in each else f"?::{kind}" for name, kind in columns.items()]
        same = [values[name] for name in columns if name not in each]
        at_hand = pa.table({name: pa.array(one) for name, one in each.items()})
        insert = f"INSERT INTO ark.{table} ({', '.join(columns)}) SELECT {', '.join(picked)}"
        self._from_hand(at_hand, insert, *same)

    def _from_hand(self, at_hand: object, insert: str, *values: Any) -> None:
        """Run a statement that selects from rows in memory, as `w`."""
        self._connection.register(AT_HAND, at_hand)
        try:
            self.run(f"{insert} FROM {AT_HAND} w", *values)
        finally:
            self._connection.unregister(AT_HAND)

    def delete(self, table: str, column: str, values: Iterable[Any], kind: str = "BIGINT") -> None:
        """Delete the rows whose column holds one of the values."""
        wanted = list(values)
        if len(wanted) == 1:
            self.run(f"DELETE FROM ark.{table} WHERE {column} = ?::{kind}", wanted[0])
        elif wanted:
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


class LazyLease:
    """A lease that is taken when it is first needed: a call gives it, one at most."""

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
        """Let go of it, and tell it what has failed meanwhile; the next call takes another."""
        self._lease = None
        self._stack.__exit__(kind, error, trace)
