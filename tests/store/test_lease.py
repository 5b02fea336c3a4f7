"""The store: leases, fairness between processes, and what a crash leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pytest

from ark_tui.domain.errors import StoreError, StoreLocked
from ark_tui.settings import Home
from ark_tui.store import Store, files, lease, models
from ark_tui.store.locking import FileLock, Holder
from ark_tui.store.models import Record
from tests.support import SteadyClock

OPEN = """
import sys
from pathlib import Path
from ark_tui.settings import Home
from ark_tui.store import Store
from tests.support import SteadyClock
store = Store(Home(Path(sys.argv[1])), SteadyClock())
"""


@contextmanager
def process(home: Path, code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Another process with a store on the same home; killed at the end if it still runs."""
    with subprocess.Popen(
        [sys.executable, "-c", OPEN + textwrap.dedent(code), str(home), *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
    ) as other:  # fmt: skip
        try:
            yield other
        finally:
            other.kill()


def output(other: subprocess.Popen[str]) -> str:
    return other.communicate(timeout=60)[0]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Home(tmp_path / "home"), SteadyClock())


def test_many_rows_are_filled_in_as_a_few_are(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {
        "n": "BIGINT",
        "t": "VARCHAR",
        "d": "DATE",
        "moment": "TIMESTAMP",
        "b": "BOOLEAN",
        "none": "DOUBLE",
    }
    count, noon = lease.MANY, SteadyClock().now().replace(tzinfo=None)
    values = {
        "n": range(7, 7 + count),
        "t": [None if number % 5 == 0 else f"Füße {number} 🦦 '\n" for number in range(count)],
        "d": [date(2026, 1, 1) + timedelta(days=number % 400) for number in range(count)],
        "moment": [noon + timedelta(microseconds=number) for number in range(count)],
        "b": [number % 2 == 0 for number in range(count)],
        "none": None,
    }
    with store.write() as writing:
        for table in ("many", "few"):
            kinds = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            writing.run(f"CREATE TABLE ark.{table} ({kinds})")
            writing.fill(table, columns, values)
            monkeypatch.setattr(lease, "MANY", count + 1)
        many, few = (writing.rows(f"SELECT * FROM ark.{table} ORDER BY n") for table in ("many", "few"))
        assert len(many) == count
        assert many == few
        assert writing.rows("SELECT * FROM ark.many WHERE n = 8") == [
            (8, "Füße 1 🦦 '\n", date(2026, 1, 2), noon + timedelta(microseconds=1), False, None)
        ]


def test_several_rows_are_inserted_as_single_ones_are(store: Store) -> None:
    columns = {"n": "BIGINT", "t": "VARCHAR", "d": "DATE", "m": "TIMESTAMP", "b": "BOOLEAN", "few": "TINYINT"}
    noon = SteadyClock().now().replace(tzinfo=None)
    rows = [
        (
            2**40 + number,
            None if number % 3 == 0 else f"Füße {number} 🦦 '\n",
            date(2026, 1, 1) + timedelta(days=number) if number > 120 else None,
            noon + timedelta(microseconds=number) if number % 2 else None,
            number % 2 == 0,
            None if number < 1100 else 7,
        )
        for number in range(1200)
    ]
    with store.write() as writing:
        for table in ("together", "singly", "none"):
            kinds = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            writing.run(f"CREATE TABLE ark.{table} ({kinds})")
        writing.insert("together", columns, rows)
        for row in rows:
            writing.insert("singly", columns, [row])
        writing.insert("none", columns, [])
        together, singly = (
            writing.rows(f"SELECT * FROM ark.{table} ORDER BY n") for table in ("together", "singly")
        )
        assert together == singly == rows
        assert not writing.rows("SELECT * FROM ark.none")


def put(store: Store, key: str) -> None:
    with store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES (?, 'x')", key)


def shape(store: Store) -> set[tuple[object, ...]]:
    """Every column of every table."""
    with store.read() as lease:
        return set(
            lease.rows(
                "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
                "WHERE database_name = 'ark'"
            )
        )


def keys(store: Store) -> set[str]:
    with store.read() as lease:
        return {row[0] for row in lease.rows("SELECT key FROM ark.meta WHERE value = 'x'")}


def test_a_failing_statement_rolls_everything_back_and_lets_the_next_process_in(store: Store) -> None:
    with pytest.raises(StoreError), store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES ('half', 'x')")
        lease.run("SELECT no_such_column FROM ark.meta")
    assert keys(store) == set()
    with process(
        store.home.path, "with store.write() as l: l.run(\"INSERT INTO ark.meta VALUES ('b', 'x')\")"
    ) as other:
        output(other)
    assert keys(store) == {"b"}


def test_an_exception_in_the_block_rolls_back_and_keeps_its_type(store: Store) -> None:
    with pytest.raises(KeyError), store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES ('half', 'x')")
        raise KeyError("mine")
    put(store, "after")
    assert keys(store) == {"after"}


def test_what_was_acknowledged_survives_kill_9(store: Store) -> None:
    put(store, "first")
    endless = """
        import itertools
        for n in itertools.count():
            with store.write() as lease:
                lease.run("INSERT INTO ark.meta VALUES (?, 'x')", f"n{n}")
            print(n, flush=True)
        """
    with process(store.home.path, endless) as writer:
        assert writer.stdout
        acknowledged = [writer.stdout.readline().strip() for _ in range(40)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += writer.stdout.read().split()
    assert {f"n{n}" for n in acknowledged if n} <= keys(store)


def test_two_processes_that_write_all_the_time_both_get_their_turns(store: Store) -> None:
    put(store, "first")
    loop = """
        import time
        end = time.monotonic() + 3
        count = 0
        while time.monotonic() < end:
            with store.write() as lease:
                lease.run("INSERT INTO ark.meta VALUES (?, 'x')", f"{sys.argv[2]}-{count}")
            count += 1
        print(count)
        """
    with process(store.home.path, loop, "a") as a, process(store.home.path, loop, "b") as b:
        counts = [int(output(one)) for one in (a, b)]
    assert len(keys(store)) == sum(counts) + 1
    assert min(counts) > 0.3 * sum(counts), counts


def test_numbers_of_a_counter_have_no_gap_and_no_double_over_processes(store: Store) -> None:
    put(store, "first")
    loop = """
        for _ in range(60):
            with store.write() as lease:
                print(lease.take("change", 2))
        """
    with process(store.home.path, loop) as a, process(store.home.path, loop) as b:
        firsts = [int(n) for one in (a, b) for n in output(one).split()]
    assert sorted(firsts) == list(range(1, 241, 2))
    assert store.change() == 240


def test_a_store_that_is_held_too_long_is_an_error_that_names_the_holder(store: Store) -> None:
    put(store, "first")
    hold = """
        with store.write() as lease:
            print("held", flush=True)
            sys.stdin.read()
        """
    impatient = Store(store.home, SteadyClock(), timeout=0.3)
    with process(store.home.path, hold) as holder:
        assert holder.stdout
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreLocked, match=str(holder.pid)):
            put(impatient, "never")
    put(impatient, "then")
    assert keys(store) == {"first", "then"}


def test_a_program_that_takes_no_turns_is_waited_for_and_named_as_the_holder(store: Store) -> None:
    """A DuckDB shell, for one: it locks the file itself."""
    put(store, "first")
    store.checkpoint()
    shell = """
        import duckdb
        connection = duckdb.connect(str(store.path))
        print("held", flush=True)
        sys.stdin.read()
        """
    impatient = Store(store.home, SteadyClock(), timeout=0.3)
    with process(store.home.path, shell) as holder:
        assert holder.stdout
        assert holder.stdout.readline().strip() == "held"
        for attempt in (lambda: put(impatient, "never"), lambda: keys(impatient)):
            with pytest.raises(StoreLocked, match=f"held by process {holder.pid} "):
                attempt()
        with ThreadPoolExecutor() as threads:
            patient = threads.submit(put, Store(store.home, SteadyClock(), timeout=60), "late")
            with pytest.raises(StoreLocked, match=f"held by process {holder.pid} "):
                put(impatient, "never")  # behind another that waits, it still names whom all wait for
            output(holder)
            patient.result(60)
    assert keys(store) == {"first", "late"}


def test_a_thread_whose_turn_never_came_names_the_program_that_kept_the_others_out(tmp_path: Path) -> None:
    turn = FileLock(tmp_path, timeout=0.1)
    for _ in range(2):
        with pytest.raises(StoreLocked, match=r"process 7 \(duckdb\)"), turn.hold(shared=False):
            turn.outlast(lambda: Holder(7, "duckdb"))
        # The next thread has the mutex, and has not come to its first attempt.
        with turn.mutex, pytest.raises(StoreLocked, match=r"process 7 \(duckdb\)"), turn.hold(shared=True):
            pass
    with turn.hold(shared=True):
        turn.outlast(lambda: None)
    with turn.mutex, pytest.raises(StoreLocked, match="busy in this process"), turn.hold(shared=True):
        pass


def test_a_small_write_in_the_log_is_folded_in_now_and_then(store: Store) -> None:
    for n in range(40):
        put(store, f"k{n}")
        assert store.turn.pending() < 4  # every lease takes up what is left there
    store.checkpoint()
    log = store.path.with_name(store.path.name + ".wal")
    assert not log.exists() or log.stat().st_size == 0
    assert len(keys(store)) == 40


@pytest.mark.parametrize(("large", "threads"), [(1 << 40, 1), (0, 2)])
def test_a_second_thread_is_for_large_stores(
    store: Store, monkeypatch: pytest.MonkeyPatch, large: int, threads: int
) -> None:
    put(store, "a")
    store.close()
    monkeypatch.setattr("ark_tui.store.store.LARGE", large)
    with store.read() as lease:
        assert lease.value("SELECT current_setting('threads')") == threads


def test_what_fills_a_row_group_is_not_written_again_by_what_comes_after_it(store: Store) -> None:
    def add(first: int) -> list[int]:
        """The blocks in which the first rows lie, after as many more."""
        with store.write() as lease:
            lease.fold = True
            lease.run(
                "INSERT INTO ark.changes SELECT n, n, false FROM range(?, ?) r(n)", first, first + 25_000
            )
        with store.read() as lease:
            return lease.numbers(
                "SELECT DISTINCT block_id FROM pragma_storage_info('ark.changes') WHERE persistent "
                "AND row_group_id = 0 AND column_name = 'number' AND block_id >= 0 ORDER BY 1"
            )

    before = add(1)
    assert before
    assert add(25_001) == add(50_001) == before


@pytest.mark.parametrize("number", [13, 999])
def test_a_store_of_another_version_is_refused_with_the_way_out_and_left_as_it_is(
    store: Store, number: int
) -> None:
    with store.write() as lease:
        lease.run("UPDATE ark.meta SET value = ? WHERE key = 'schema'", str(number))
    store.close()
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match=f"another version of ark-tui .schema {number}") as caught:
        keys(Store(store.home, SteadyClock()))
    assert "export-curation" in caught.value.hint
    assert store.path.read_bytes() == before


def test_a_damaged_store_is_named_and_not_touched(store: Store) -> None:
    put(store, "first")
    store.close()
    store.path.write_bytes(b"this is no database" * 1000)
    damaged = store.path.read_bytes()
    with pytest.raises(StoreError, match="damaged") as caught:
        keys(Store(store.home, SteadyClock()))
    assert "restore" in caught.value.hint
    assert store.path.read_bytes() == damaged


def test_a_home_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    with pytest.raises(StoreError) as caught:
        keys(Store(Home(tmp_path / "home"), SteadyClock()))
    assert caught.value.hint


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        store = Store(Home(disk / "home"), SteadyClock())
        put(store, "kept")
        with pytest.raises(StoreError, match="full"):
            for n in range(20):
                with store.write() as lease:
                    lease.run("INSERT INTO ark.meta SELECT ? || range, repeat(md5(range::VARCHAR), 40) "
                              "FROM range(500)", f"big{n}-")  # fmt: skip
        store.close()
        again = Store(store.home, SteadyClock())
        with again.read() as lease:
            assert lease.value("SELECT count(*) FROM ark.meta WHERE key = 'kept'") == 1
        again.close()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_a_collection_is_named_after_its_folder_and_a_second_one_gets_its_parents_name(store: Store) -> None:
    with store.write() as lease:
        names = [
            files.claim(lease, f"/home/me/{path}") for path in ("work/notes", "private/notes", "work/notes")
        ]
    assert names == ["notes", "private-notes", "notes"]


def test_which_model_is_in_force_is_known_without_a_lease(tmp_path: Path) -> None:
    home, known = Home(tmp_path), Record(in_force="a model", setting="auto")
    with Store(home, SteadyClock()).write() as lease:
        models.keep(lease, known)
    other = Store(home, SteadyClock())
    assert other.models() == known
    assert not other.opened
    with Store(home, SteadyClock()).write() as lease:
        models.keep(lease, Record())
    assert other.models() == Record()


def test_what_was_true_before_is_told_no_more_after_a_kill_at_the_commit(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with Store(home, SteadyClock()).write() as lease:
        models.keep(lease, Record(in_force="one"))
    switch = """
        import os
        from ark_tui.store import models, published
        with store.write() as lease:
            published.write = lambda path, text: os.kill(os.getpid(), 9)
            models.keep(lease, models.Record(in_force="another"))
        """
    with process(tmp_path, switch) as killed:
        assert killed.wait() == -signal.SIGKILL
    assert Store(home, SteadyClock()).models() == Record(in_force="another")


@pytest.mark.parametrize("wanted", [[], [7], [7, 8, 9], [7, 5_000, 9_999], [7, 7, 9_999], [5, 20_000]])
def test_few_numbers_are_found_wherever_they_lie(tmp_path: Path, wanted: list[int]) -> None:
    store = Store(Home(tmp_path), SteadyClock())
    with store.write() as held:
        held.run("INSERT INTO ark.superseded SELECT i, i FROM range(10000) t(i)")
        found = held.numbers(f"SELECT document FROM ark.superseded WHERE document {lease.among(wanted)}")
        assert sorted(found) == sorted({number for number in wanted if number < 10_000})
