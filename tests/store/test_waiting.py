"""Who waits for the store goes on waiting while others work, and is told who is stuck."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO

import pytest

from ark_tui.domain.errors import StoreLocked
from ark_tui.settings import Home
from ark_tui.store import Store, locking
from ark_tui.store.locking import FileLock
from ark_tui.store.pace import AIM, Pace
from tests.store.test_lease import keys, process, put
from tests.support import SteadyClock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    put(Store(Home(tmp_path / "home"), SteadyClock()), "first")
    return Home(tmp_path / "home")


def store_of(home: Home, timeout: float = 0.2) -> Store:
    return Store(home, SteadyClock(), timeout)


def line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline().strip()


@contextmanager
def stopped(home: Home, kind: str) -> Iterator[int]:
    """While this lasts a process that has the store, to `read` or to `write`, stands still; its id."""
    hold = f"""
        with store.{kind}() as lease:
            print("held", flush=True)
            sys.stdin.read()
        """
    with process(home.path, hold) as holder:
        assert line(holder.stdout) == "held"
        os.kill(holder.pid, signal.SIGSTOP)
        yield holder.pid


def test_a_lease_that_works_for_long_is_waited_for(home: Home) -> None:
    work = """
        import time
        with store.write() as lease:
            print("held", flush=True)
            end = time.process_time() + 1
            while time.process_time() < end:
                pass
        """
    with process(home.path, work) as holder:
        assert line(holder.stdout) == "held"
        put(store_of(home), "late")
        holder.wait(60)
    assert keys(store_of(home)) == {"first", "late"}


class Slow:
    """Stands in for `time` where a lock is waited for: each look at it is a tenth of a second later."""

    def __init__(self, pause: Callable[[], object]) -> None:
        self.now = 0.0
        self._pause = pause

    def monotonic(self) -> float:
        self.now += 0.1
        return self.now

    def sleep(self, _: float) -> None:
        self._pause()


@pytest.mark.parametrize("hands", [True, False])
def test_who_waits_goes_on_while_the_lock_changes_hands_and_gives_up_when_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: bool
) -> None:
    first, second = FileLock(tmp_path, timeout=1.0), FileLock(tmp_path, timeout=1.0)
    looks = iter(range(1000))

    def look() -> None:
        if (at := next(looks)) == 100:
            first_turn.close()
        elif hands:
            os.utime(tmp_path / "queue.lock", (at, at))

    monkeypatch.setattr(locking, "time", slow := Slow(look))
    with ExitStack() as first_turn:
        first_turn.enter_context(first.hold(shared=False))
        with nullcontext() if hands else pytest.raises(StoreLocked), second.hold(shared=False):
            assert 10 < slow.now < locking.LONGEST


def test_every_turn_shows_that_the_lock_changes_hands(tmp_path: Path) -> None:
    turn = FileLock(tmp_path, timeout=1.0)
    for shared in (True, False):
        with turn.hold(shared=shared):
            os.utime(tmp_path / "queue.lock", (0, 0))
        assert (tmp_path / "queue.lock").stat().st_mtime > 0


def test_the_threads_of_one_process_wait_for_each_other_as_long(home: Home) -> None:
    store = store_of(home)

    def write(number: int) -> None:
        with store.write() as lease:
            lease.run("INSERT INTO ark.meta VALUES (?, 'x')", f"k{number}")
            lease.value("SELECT max(md5(range::VARCHAR)) FROM range(1000000)")

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(write, range(12)))
    assert len(keys(store)) == 13


@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_process_that_was_stopped_with_the_store_is_given_up_and_named(home: Home, kind: str) -> None:
    with stopped(home, kind) as holder:
        with pytest.raises(StoreLocked, match=f"held by process {holder} "):
            put(store_of(home), "never")
        os.kill(holder, signal.SIGCONT)
    put(store_of(home), "then")
    assert keys(store_of(home)) == {"first", "then"}


def test_nobody_waits_for_ever_however_busy_the_others_are(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "LONGEST", 0.5)
    busy = """
        with store.write() as lease:
            print("held", flush=True)
            while True:
                pass
        """
    with process(home.path, busy) as holder:
        assert line(holder.stdout) == "held"
        with pytest.raises(StoreLocked, match=f"held by process {holder.pid} "):
            put(store_of(home), "never")


def test_a_reader_who_is_in_a_hurry_waits_for_nobody_who_works(home: Home) -> None:
    store = store_of(home, timeout=600)
    store.turn.hurry()
    other = FileLock(home.locks, timeout=1)
    with other.hold(shared=False), pytest.raises(StoreLocked):
        keys(store)


def test_a_long_wait_is_said_once_and_what_was_waited_for_is_done(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "LONG", 0.05)
    said: list[str] = []
    told = threading.Event()

    def on_wait(sentence: str) -> None:
        said.append(sentence)
        told.set()

    patient = Store(home, SteadyClock(), 60, on_wait)
    hold = """
        for _ in range(2):
            with store.write() as lease:
                print("held", flush=True)
                sys.stdin.readline()
        """
    with process(home.path, hold) as holder, ThreadPoolExecutor() as threads:
        assert holder.stdin
        assert line(holder.stdout) == "held"
        late = [threads.submit(put, patient, name) for name in ("late", "later")]
        assert told.wait(60)
        for _ in range(2):
            holder.stdin.write("\n")
            holder.stdin.flush()
        for one in late:
            one.result(60)
    assert len(said) == 1
    assert said[0].startswith(f"The store is held by process {holder.pid} (")
    assert keys(patient) == {"first", "late", "later"}


def test_a_command_says_for_whom_it_waits_and_then_does_what_it_was_asked(home: Home) -> None:
    hold = """
        with store.write() as lease:
            print("held", flush=True)
            sys.stdin.readline()
        """
    with process(home.path, hold) as holder:
        assert holder.stdin
        assert line(holder.stdout) == "held"
        command = [sys.executable, "-m", "ark_tui", "--home", str(home.path), "tasks-add", "call Ann"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
            assert line(waiting.stderr).startswith(f"The store is held by process {holder.pid} (")
            holder.stdin.write("\n")
            holder.stdin.flush()
            said, complained = waiting.communicate(timeout=60)
    assert (waiting.returncode, complained) == (0, "")
    assert "call Ann" in said


def test_pieces_of_long_work_grow_while_they_are_quick_and_shrink_while_they_are_slow() -> None:
    pace = Pace(800)
    assert pace.size == 100
    for _ in range(5):
        pace.took(0.01)
    assert pace.size == 800
    pace.took(2 * AIM)
    assert pace.size == 400
    for _ in range(5):
        pace.took(10.0)
    assert pace.size == 100
