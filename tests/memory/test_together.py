"""Several processes add to one conversation, and one is killed: nothing acknowledged is lost (M4)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.domain.memory import Message, Scope
from ark_tui.engine import Engine
from ark_tui.settings import load

ROOT = Path(__file__).parents[2]


def speaker(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.memory.speaker", str(home), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def kept(home: Path) -> list[Message]:
    """The messages of the conversation; everything must agree with them."""
    with Engine(load(home, environ={})) as engine:
        engine.sync()
        assert all(check.ok is not False for check in engine.doctor())
        page = engine.memory.conversations.messages(Scope(), limit=1_000_000)
        assert page.total == len(page.messages)
        assert engine.memory.conversations.search(Scope(), "says").total == page.total
        return list(page.messages)


@pytest.mark.parametrize(("processes", "count"), [(2, 40), pytest.param(4, 500, marks=pytest.mark.soak)])
def test_processes_add_to_one_conversation_at_once(tmp_path: Path, processes: int, count: int) -> None:
    """Sequences stay gapless and unique, and each speaker's messages in its own order."""
    home = tmp_path / "home"
    speakers = [speaker(home, f"speaker{i}", count) for i in range(processes)]
    acknowledged: dict[int, str] = {}
    for process in speakers:
        out, err = process.communicate(timeout=600)
        assert (process.returncode, err) == (0, "")
        for line in out.splitlines():
            sequence, _, text = line.partition(" ")
            assert acknowledged.setdefault(int(sequence), text) == text
    messages = kept(home)
    assert [message.sequence for message in messages] == list(range(1, processes * count + 1))
    assert {message.sequence: message.content for message in messages} == acknowledged
    assert len({message.id for message in messages}) == len(messages)


def test_a_kill_in_the_middle_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    process = speaker(home, "speaker", 1_000_000)
    assert process.stdout
    heard = [process.stdout.readline() for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=60)
    heard += rest.splitlines(keepends=True)
    acknowledged = [line.rstrip("\n").partition(" ")[2] for line in heard if line.endswith("\n")]
    messages = kept(home)
    assert [message.sequence for message in messages] == list(range(1, len(messages) + 1))
    assert [message.content for message in messages][: len(acknowledged)] == acknowledged
    assert len(messages) - len(acknowledged) <= 1
