"""The store: transactions, the lock of a home, and what a crash leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ark_tui.domain.errors import StoreError, StoreLocked
from ark_tui.settings import Home
from ark_tui.store import Store, blocks, database, lease
from tests.support import SteadyClock

OPEN = """
import sys
from pathlib import Path
from ark_tui.settings import Home
from ark_tui.store import Store
from tests.support import SteadyClock
store = Store(Home(Path(sys.argv[1])), SteadyClock(), timeout=0.2)
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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(Home(tmp_path / "home"), SteadyClock(), timeout=0.2)
    yield made
    made.close()


def put(store: Store, key: str) -> None:
    with store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES (?, 'x')", key)


def keys(store: Store) -> set[str]:
    with store.read() as lease:
        return {row[0] for row in lease.rows("SELECT key FROM ark.meta WHERE value = 'x'")}


HOLD = """
with store.write() as lease:
    lease.run("INSERT INTO ark.meta VALUES ('theirs', 'x')")
print("open", flush=True)
sys.stdin.readline()
store.close()
print("closed", flush=True)
sys.stdin.readline()
"""


def test_a_home_is_one_process_s_until_that_closes_it_and_the_error_names_it(store: Store) -> None:
    waits: list[str] = []
    with process(store.home.path, HOLD) as other:
        assert other.stdout
        assert other.stdin
        other.stdout.readline()
        patient = Store(store.home, SteadyClock(), timeout=2.0, on_wait=waits.append)
        for act in (keys, lambda one: put(one, "mine")):
            with pytest.raises(StoreLocked, match=f"in use by process {other.pid} "):
                act(store)
        store.close()
        thread = threading.Thread(target=put, args=(patient, "mine"))
        thread.start()
        while not waits:
            thread.join(0.01)
            assert thread.is_alive()
        other.stdin.write("\n")
        other.stdin.flush()
        thread.join()
        other.stdout.readline()
    assert str(other.pid) in waits[0]
    assert keys(patient) == {"theirs", "mine"}
    patient.close()


def test_a_process_that_was_killed_leaves_the_home_free_and_all_that_it_acknowledged(store: Store) -> None:
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


def test_a_program_that_has_only_the_file_open_is_waited_for_and_named(store: Store) -> None:
    put(store, "first")
    store.close()
    foreign = """
        import duckdb
        held = duckdb.connect(sys.argv[2])
        print("held", flush=True)
        sys.stdin.readline()
        """
    with process(store.home.path, foreign, str(store.path)) as other:
        assert other.stdout
        other.stdout.readline()
        with pytest.raises(StoreLocked, match=f"process {other.pid} "):
            keys(store)
    assert keys(store) == {"first"}


def test_a_reader_sees_one_moment_and_waits_for_no_writer(store: Store) -> None:
    put(store, "before")
    with store.read() as reading:
        count = "SELECT count(*) FROM ark.meta WHERE value = 'x'"
        assert reading.count(count) == 1
        thread = threading.Thread(target=put, args=(store, "meanwhile"))
        thread.start()
        thread.join()
        assert reading.count(count) == 1
    with store.write() as writing:
        writing.run("INSERT INTO ark.meta VALUES ('mine', 'x')")
        assert keys(store) == {"before", "meanwhile"}
    assert keys(store) == {"before", "meanwhile", "mine"}


def test_writers_get_their_turns_in_the_order_they_came(store: Store) -> None:
    put(store, "first")
    threads = []
    with store.write():
        for n in range(5):
            threads.append(threading.Thread(target=put, args=(store, f"n{n}")))
            threads[-1].start()
            while len(store.database._sessions._writers) < n + 2:
                threads[-1].join(0.001)
    for thread in threads:
        thread.join()
    with store.read() as lease:
        assert [row[0] for row in lease.rows("SELECT key FROM ark.meta WHERE key LIKE 'n%'")] == [
            f"n{n}" for n in range(5)
        ]


def test_numbers_of_a_counter_have_no_gap_and_no_double_over_threads(store: Store) -> None:
    firsts: list[int] = []

    def take() -> None:
        for _ in range(30):
            with store.write() as lease:
                firsts.append(lease.take("change", 2))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(firsts) == list(range(1, 241, 2))
    assert store.change() == 240


def test_a_transaction_that_only_reads_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError), store.read() as lease:
        lease.run("INSERT INTO ark.meta VALUES ('half', 'x')")
    assert keys(store) == set()


def test_a_failing_statement_or_an_exception_rolls_everything_back(store: Store) -> None:
    with pytest.raises(StoreError), store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES ('half', 'x')")
        lease.run("SELECT no_such_column FROM ark.meta")
    with pytest.raises(KeyError), store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES ('half', 'x')")
        raise KeyError("mine")
    put(store, "after")
    assert keys(store) == {"after"}


def test_those_who_listen_are_called_after_each_change_and_no_longer_than_they_want(store: Store) -> None:
    heard: list[set[str]] = []
    end = store.subscribe(lambda: heard.append(keys(store)))
    put(store, "a")
    with store.write() as lease:
        lease.rows("SELECT 1")
    put(store, "b")
    end()
    put(store, "c")
    assert heard == [{"a"}, {"a", "b"}]
    assert store.pulse() == 3


def test_two_stores_of_one_home_share_it_until_both_are_closed(store: Store) -> None:
    other = Store(store.home, SteadyClock())
    put(store, "a")
    put(other, "b")
    store.close()
    assert keys(other) == {"a", "b"}
    with process(store.home.path, "try: store.change()\nexcept Exception as error: print(error)") as locked:
        assert str(os.getpid()) in locked.communicate(timeout=60)[0]
    other.close()
    assert not store.database.log.exists()


def test_the_log_is_folded_in_when_nothing_was_committed_for_a_while_and_at_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE", 0.01)
    put(store, "a")
    timer = store.database._folding
    assert timer
    timer.join()
    assert not store.database.log.exists()
    monkeypatch.setattr(database, "IDLE", 1000.0)
    put(store, "b")
    assert store.database.log.stat().st_size
    store.close()
    assert not store.database.log.exists()
    assert keys(store) == {"a", "b"}


def test_a_full_log_is_folded_in_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LOG_BYTES", 1)
    put(store, "a")
    assert not store.database.log.exists()


def test_a_file_written_anew_has_the_same_rows_while_somebody_reads(store: Store) -> None:
    put(store, "a")
    reading, go_on = threading.Event(), threading.Event()

    def read() -> None:
        with store.read() as lease:
            reading.set()
            go_on.wait()
            lease.rows("SELECT * FROM ark.meta")

    thread = threading.Thread(target=read)
    thread.start()
    reading.wait()
    rewriting = threading.Thread(target=store.database.rewrite)
    rewriting.start()
    go_on.set()
    rewriting.join()
    thread.join()
    assert keys(store) == {"a"}
    assert not store.path.with_name("ark.duckdb.new").exists()


def test_a_checkpoint_that_was_cut_off_within_a_block_is_undone(store: Store) -> None:
    put(store, "a")
    store.checkpoint()
    with store.path.open("rb") as file:
        blocks.keep(store.path, file.fileno(), (0, 1), int(database.CONFIG["default_block_size"]))
    store.close()
    with store.path.open("r+b") as file:
        file.seek(blocks.HEADERS)
        file.write(os.urandom(4096))
    assert keys(store) == {"a"}


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


@pytest.mark.parametrize("wanted", [[], [7], [7, 8, 9], [7, 5_000, 9_999], [7, 7, 9_999], [5, 20_000]])
def test_few_numbers_are_found_wherever_they_lie(tmp_path: Path, wanted: list[int]) -> None:
    store = Store(Home(tmp_path), SteadyClock())
    with store.write() as held:
        held.run("INSERT INTO ark.superseded SELECT i, i FROM range(10000) t(i)")
        found = held.numbers(f"SELECT document FROM ark.superseded WHERE document {lease.among(wanted)}")
        assert sorted(found) == sorted({number for number in wanted if number < 10_000})
