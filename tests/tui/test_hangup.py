"""The end of the terminal: it ends the workbench, which keeps what was there."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from tests.terminal import PATIENCE, WORKBENCH, open_in_terminal

LEADER = """
import fcntl, signal, subprocess, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, lambda *_: None)
sys.exit(subprocess.call(sys.argv[1:]))
"""
"""A leader of the session that outlives a hangup for as long as its child lives, as `make` does."""


def unread(terminal: int) -> int:
    """Bytes that a terminal was sent and nobody has read."""
    return int.from_bytes(fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)), sys.byteorder)


def query_kept(home: Path) -> str:
    return str(json.loads((home / "session.json").read_text("utf-8"))["query"])


def test_it_ends_with_its_terminal_where_the_leader_of_the_session_waits_for_it(filled: Path) -> None:
    process, terminal = open_in_terminal(filled, sys.executable, "-c", LEADER, *WORKBENCH)
    os.close(terminal)
    assert process.wait(PATIENCE) == 0
    assert query_kept(filled) == "hello"


def test_it_ends_with_a_terminal_that_took_no_more_of_what_it_draws(filled: Path) -> None:
    process, terminal = open_in_terminal(filled, sys.executable, "-c", LEADER, *WORKBENCH)
    waiting = -1
    while waiting != (waiting := unread(terminal)):  # until nothing more comes: the workbench waits, too
        for key in (b"x", b"\x7f") * 40:
            os.write(terminal, key)
            select.select([], [], [], 0.01)  # keys that come at once are drawn at once
    os.close(terminal)
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_told_to_end_it_keeps_what_was_typed(filled: Path, number: signal.Signals) -> None:
    process, terminal = open_in_terminal(filled, *WORKBENCH)
    process.send_signal(number)
    with suppress(OSError):  # so Linux tells that nobody has the other side any more
        while os.read(terminal, 1 << 16):
            pass
    os.close(terminal)
    assert process.wait(PATIENCE) == 0
    assert query_kept(filled) == "hello"
