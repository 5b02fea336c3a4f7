"""Messages handed over to their index: it has the same as if it had read them from the store, once each."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import tantivy

from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.engine import Engine, following
from ark_tui.index.follower import Mark
from ark_tui.index.words import analysis, messages
from ark_tui.index.words.messages import MessagesFollower
from ark_tui.settings import load
from ark_tui.store import arrivals, changes
from ark_tui.store.arrivals import Arrivals, Arrived
from tests.memory import exports
from tests.support import looked_up

HERE = Scope("ann", "s-1")
WORDS = ("otter", "raven", "httpclient", "vogel", "日", "y2024", "wy2025", "user", "claude-1/2")
FIELDS = ("title", "heading", "body", "exact", "names", "spaceless", "times", "type", "path")
LONG = "# Birds\n\n" + "Die Vögel singen am Morgen, und der Vogel fliegt.\n\n" * 90
SAID = (
    Saying("user", "Which otter, HttpClient or raven? 日本 in May 2024", key="a", name="Ann"),
    Saying("assistant", LONG, key="b", given={"role": "ai", "model": "m"}),
    Saying("tool", "", tool_call_id="c9", key="c"),
    Saying("tool", "\udc80 a raven", "q7", timestamp=datetime(2025, 1, 2, 3, 4, 5, 678901, UTC)),
)


class Side:
    """What the process beside is handed, as it comes out of its pipe."""

    def __init__(self) -> None:
        self.arrivals = Arrivals()
        self.handed: list[Arrived] = []

    def hand(self, arrived: Arrived) -> None:
        written = arrived.written()
        self.arrivals.add(written)
        self.handed.append(Arrived.read(written))

    def finish(self, stop: Stop, progress: OnProgress) -> None: ...

    def end(self) -> None: ...


@pytest.fixture
def side(engine: Engine) -> Side:
    engine._parts.messages._side = side = Side()
    return side


def take(engine: Engine, said: Sequence[Saying] = SAID, *ids: str) -> int:
    talks = [(id_, "Birds", said) for id_ in ids or ("claude-1", "claude-2")]
    return engine.memory.conversations.take(HERE, talks)


def stored(engine: Engine) -> list[LiveChunk]:
    with engine._parts.store.read() as lease:
        return changes.since(lease, 0, 1000, "messages")


def followed(engine: Engine, side: Side) -> MessagesFollower:
    side.arrivals.close()
    follower = engine._parts.messages_follower(side.arrivals)
    follower.sync()
    assert follower.state().behind == 0
    return follower


def indexed(follower: MessagesFollower) -> tuple[Any, ...]:
    """What the index has: every document as it is kept, and which have a word in a field, with scores."""
    index = tantivy.Index.open(str(follower.files))
    analysis.register(index)
    searcher = index.searcher()

    def hits(query: tantivy.Query) -> list[Any]:
        found = searcher.search(query, 1000).hits
        places = [address for _, address in found]
        numbers = [searcher.fast_field_values(name, places) for name in ("chunk", "document", "day", "since")]
        cards = [searcher.doc(place).to_dict() for place in places]
        scores = [score for score, _ in found]
        return sorted(zip(*numbers, scores, map(str, cards), strict=True))

    schema = analysis.schema()
    words = [hits(tantivy.Query.term_query(schema, field, word)) for field in FIELDS for word in WORDS]
    return hits(tantivy.Query.all_query()), words


def rebuilt(follower: MessagesFollower) -> tuple[Any, ...]:
    follower._arrivals = None
    follower.rebuild()
    return indexed(follower)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The chunks that are read from the store, by number."""
    return looked_up(monkeypatch)


def test_what_is_handed_over_is_what_the_store_has(engine: Engine, side: Side) -> None:
    take(engine)
    take(engine, SAID[:1], "claude-3")
    take(engine, SAID[2:3], "claude-4")  # without any chunk
    handed = [chunk for one in side.handed for chunk in one.live()]
    assert handed == stored(engine)
    assert max(chunk.ordinal for chunk in handed) > 0
    assert {bool(chunk.said) for chunk in handed} == {True, False}


def test_nothing_is_read_back_and_the_index_is_the_same(engine: Engine, side: Side, read: list[int]) -> None:
    take(engine)
    take(engine, SAID[:2], "claude-3")
    follower = followed(engine, side)
    assert read == []
    found = indexed(follower)
    assert len(found[0]) == len(stored(engine)) > 8
    assert sum(map(bool, found[1])) >= len(WORDS)
    assert found == rebuilt(follower)


@pytest.mark.parametrize(("most", "commits"), [(100_000, [3]), (1, [1, 2, 3])])
def test_an_index_commits_when_nothing_more_is_at_hand_or_much_was_taken_up(
    engine: Engine, side: Side, monkeypatch: pytest.MonkeyPatch, most: int, commits: list[int]
) -> None:
    for id_ in ("claude-1", "claude-2", "claude-3"):
        take(engine, SAID[:1], id_)
    marks: list[int] = []
    write = MessagesFollower._write_mark

    def noted(self: MessagesFollower, mark: Mark) -> None:
        marks.append(mark.number)
        write(self, mark)

    monkeypatch.setattr(MessagesFollower, "_write_mark", noted)
    monkeypatch.setattr(MessagesFollower, "batch", 1)
    monkeypatch.setattr(messages, "MOST", most)
    follower = followed(engine, side)
    assert marks == commits
    assert len(indexed(follower)[0]) == 3


def test_what_another_has_written_in_between_is_read_and_nothing_else(
    engine: Engine, side: Side, read: list[int]
) -> None:
    take(engine, SAID, "claude-1")
    with Engine(load(engine.settings.home.path, environ={})) as other:
        other.memory.conversations.extend(Scope(), [Saying("user", f"raven {n}") for n in range(3)])
    take(engine, SAID, "claude-2")
    follower = followed(engine, side)
    numbers = tuple(read)
    texts = {chunk.number: chunk.text for chunk in stored(engine)}
    assert [texts[number] for number in numbers] == ["raven 0", "raven 1", "raven 2"]
    assert indexed(follower) == rebuilt(follower)


def test_what_was_deleted_since_is_not_in_the_index(engine: Engine, side: Side) -> None:
    take(engine)
    engine._parts.messages._side = None
    engine.memory.conversations.delete(HERE, "claude-1")
    follower = followed(engine, side)
    assert {chunk.path.split("/")[0] for chunk in stored(engine) if not chunk.gone} == {"claude-2"}
    assert len(indexed(follower)[0]) == sum(not chunk.gone for chunk in stored(engine))


@pytest.mark.parametrize("what", ["store", "epoch"])
def test_what_is_of_another_store_is_read_from_this_one(
    engine: Engine, side: Side, read: list[int], what: str
) -> None:
    take(engine)
    (handed,) = side.handed
    wrong = Side()
    other: dict[str, Any] = {what: "another", "texts": ["wrong"] * len(handed.texts)}
    wrong.hand(handed._replace(**other))
    follower = followed(engine, wrong)
    assert len(read) == len(stored(engine))
    assert indexed(follower) == rebuilt(follower)


def test_what_is_handed_over_twice_is_taken_up_once(engine: Engine, side: Side) -> None:
    take(engine)
    (handed,) = side.handed
    side.hand(handed)
    side.arrivals.close()
    follower = engine._parts.messages_follower(side.arrivals)
    assert follower.sync() == len(handed.spans)
    assert indexed(follower) == rebuilt(follower)


def test_what_would_take_too_much_memory_is_read_from_the_store(
    engine: Engine, side: Side, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    take(engine, SAID, "claude-1")
    monkeypatch.setattr(arrivals, "MOST", 10)
    take(engine, SAID, "claude-2")
    assert len(side.arrivals._waiting) == 1
    follower = followed(engine, side)
    assert len(read) == len(side.handed[1].spans)
    assert indexed(follower) == rebuilt(follower)


def test_an_index_waits_a_moment_for_more_and_not_once_all_has_come(
    engine: Engine, side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(engine)
    monkeypatch.setattr(arrivals, "PATIENCE", 0.01)
    (handed,) = side.handed
    chunks, _ = side.arrivals.after(handed.store, handed.epoch, handed.change - 1)
    assert chunks == handed.live()
    assert side.arrivals.after(handed.store, handed.epoch, chunks[-1].change) == ([], None)
    monkeypatch.setattr(arrivals, "PATIENCE", 1e6)
    side.arrivals.close()
    assert side.arrivals.after(handed.store, handed.epoch, chunks[-1].change) == ([], None)


IMPORT = """
import os, signal, sys
from pathlib import Path
from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine, messages
from ark_tui.engine.following import Beside
from ark_tui.memory import importing
from ark_tui.settings import load
home, export, whom, when = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
messages.MUCH = importing.AT_ONCE = 2
hand, handed = Beside.hand, []

def dying(self, arrived):
    if len(handed) == when and whom == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    if len(handed) == when and whom == "beside":
        os.kill(self._process.pid, signal.SIGKILL)
    hand(self, arrived)
    if len(handed) == when and whom == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    handed.append(arrived)

Beside.hand = dying
with Engine(load(home, environ={}), brief=True) as engine:
    engine.memory.import_chats(export, Scope("ann", "s-1"))
"""


@pytest.mark.parametrize("when", [0, 1])
@pytest.mark.parametrize("whom", ["before", "after", "beside"])
def test_a_process_killed_at_handing_over_loses_and_doubles_nothing(
    empty: Path, tmp_path: Path, whom: str, when: int
) -> None:
    home, export = tmp_path / "home", exports.slack(tmp_path)
    shutil.copytree(empty, home)
    command = [sys.executable, "-c", IMPORT, str(home), str(export), whom, str(when)]
    code = subprocess.run(command, check=False).returncode
    assert code == (0 if whom == "beside" else -signal.SIGKILL)
    with Engine(load(home, environ={}), brief=True) as engine:
        new = engine.memory.import_chats(export, HERE).new
        assert new == (0 if whom == "beside" else 4 - 2 * (when + 1))
        assert len(engine.memory.conversations.messages(HERE).messages) == 4
        engine.memory.conversations.index()  # as a search does
        follower = engine._parts.messages_follower()
        assert follower.state().behind == 0
        found = indexed(follower)
        assert len(found[0]) == 4
        assert found == rebuilt(follower)


def test_a_process_beside_reads_nothing_back_that_it_is_handed(
    engine: Engine,
    side: Side,
    read: list[int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    take(engine)
    take(engine, SAID[:2], "claude-3")
    engine._parts.messages._side = None
    receiving, sending = os.pipe()
    for written in (one.written() for one in side.handed):
        os.write(sending, b"%d\n%b" % (len(written), written))
    os.write(sending, b"more\nend\n")
    monkeypatch.setattr(sys, "argv", ["following", str(engine.settings.home.path), "{}", "messages"])
    with os.fdopen(receiving) as given:
        monkeypatch.setattr(sys, "stdin", given)
        following.main()
        os.close(sending)
    assert '"followed"' in capsys.readouterr().out
    assert read == []
    follower = engine._parts.messages_follower()
    assert follower.state().behind == 0
    assert indexed(follower) == rebuilt(follower)


def test_what_was_cut_off_as_it_was_handed_over_is_read_from_the_store(
    engine: Engine, side: Side, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    take(engine)
    engine._parts.messages._side = None
    receiving, sending = os.pipe()
    written = side.handed[0].written()
    os.write(sending, b"%d\n%b" % (len(written), written[:-1]))
    os.close(sending)  # who wrote it was killed
    monkeypatch.setattr(sys, "argv", ["following", str(engine.settings.home.path), "{}", "messages"])
    with os.fdopen(receiving) as given:
        monkeypatch.setattr(sys, "stdin", given)
        following.main()
    assert capsys.readouterr().out == ""
    follower = engine._parts.messages_follower()
    assert follower.state().behind == len(stored(engine))
    follower.sync()
    assert indexed(follower) == rebuilt(follower)


def test_what_a_process_beside_has_rebuilt_is_told(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ark_tui.engine.messages.MUCH", 3)
    with Engine(load(home, environ={}), brief=True) as engine:
        engine.memory.import_chats(exports.slack(tmp_path), HERE)
        for file in engine._parts.messages_follower().files.glob("*.term"):
            file.unlink()  # not in place: a thread of tantivy's looks at what it has mapped
            file.write_bytes(b"damaged")
        engine.memory.import_chats(exports.chatgpt(tmp_path), HERE)
        assert [*engine.notices()] == ["The messages index was damaged; it is rebuilt from the store."]
        assert engine.memory.conversations.search(HERE, "raven").total == 1
