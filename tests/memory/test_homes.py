"""Memory in a home: with the collections that were there, in backups, and after a damage."""

from __future__ import annotations

import shutil
from pathlib import Path

from ark_tui.domain.layers import EPISODIC, SEMANTIC
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.settings import load
from tests.support import SteadyClock, add_item

HERE = Scope("ann", "one")


def filled(engine: Engine) -> None:
    memory = engine.memory
    memory.scratch.set(HERE, "plan", "ask Ben")
    memory.scratch.set(HERE, "plan", "ask Cat")
    memory.tasks.add(HERE, "feed the otters", due="tomorrow", tags=["zoo"])
    said = memory.conversations.add(HERE, "user", "Where do otters sleep?")
    memory.tiers.move(said.id, "worth keeping", "ann", layer=SEMANTIC)
    add_item(memory, "How the otters were counted.", HERE, layer=EPISODIC)
    engine.opened(said.id)
    engine.sync()


def state(engine: Engine) -> object:
    memory = engine.memory
    items = memory.items.list(HERE)
    return (
        memory.scopes(),
        memory.scratch.versions(HERE, "plan"),
        memory.tasks.list(HERE),
        memory.conversations.messages(HERE),
        items,
        [memory.items.moves(item.document.id) for item in items],
        memory.conversations.search(HERE, "otters"),
        {hit.document.id for hit in engine.search(Request("otters")).hits},
    )


def test_a_backup_has_it_all(engine: Engine, tmp_path: Path, clock: SteadyClock) -> None:
    filled(engine)
    before = state(engine)
    saved = engine.backup(tmp_path / "saved.zip")
    with Engine(load(tmp_path / "other", environ={}), clock) as other:
        other.restore(saved)
        assert state(other) == before
        assert all(check.ok is not False for check in other.doctor())


def test_the_index_of_messages_is_rebuilt_when_it_goes(
    engine: Engine, memory: Memory, tmp_path: Path
) -> None:
    filled(engine)
    shutil.rmtree(tmp_path / "home" / "messages")
    assert memory.conversations.search(HERE, "otters").total == 1
    shutil.rmtree(tmp_path / "home" / "messages")
    assert all(check.ok is not False for check in engine.doctor(repair=True))
    assert memory.conversations.search(HERE, "otters").total == 1
