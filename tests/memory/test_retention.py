"""Past its retention a memory leaves retrieval and stays in the archive; purging deletes it for good (M5)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.domain.layers import EPISODIC, SEMANTIC, WORKING
from ark_tui.domain.memory import LAYERS, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.index.vectors.table import VectorTable
from ark_tui.settings import load
from tests.support import SteadyClock, add_item

HERE, ALL = Scope(), Scope("ALL", "ALL")


def vectors(engine: Engine) -> int:
    return VectorTable(engine.vectors_folder, 0).count("embedded")


def test_purge_says_what_it_would_delete_and_deletes_only_that(
    engine: Engine, memory: Memory, clock: SteadyClock
) -> None:
    memory.conversations.add(HERE, "user", "An old question.")
    episode = add_item(memory, "An old episode about otters.", HERE, layer=EPISODIC)
    fact = add_item(memory, "An old fact about otters.", HERE, layer=SEMANTIC)
    clock.pass_by(days=31)
    memory.conversations.add(HERE, "user", "A new question.")
    engine.sync()
    would = memory.retention.due(HERE)
    assert (would.messages, [one.document.id for one in would.items], would.done) == (
        1,
        [episode.document.id],
        False,
    )
    assert memory.conversations.messages(HERE).total == 2
    done = memory.retention.purge(HERE)
    assert (done.messages, len(done.items), done.vectors, done.done) == (1, 1, 1, True)
    assert [m.content for m in memory.conversations.messages(HERE).messages] == ["A new question."]
    assert [one.document.id for one in memory.items.list(HERE)] == [fact.document.id]
    assert memory.conversations.search(HERE, "old").total == 0
    assert [h.document.id for h in engine.search(Request("otters")).hits] == [fact.document.id]
    assert [h.document.id for h in engine.search(Request("otters", mode="semantic")).hits] == [
        fact.document.id
    ]
    assert vectors(engine) == 1
    assert all(check.ok is not False for check in engine.doctor())


def test_a_vector_that_another_text_uses_stays(engine: Engine, memory: Memory, clock: SteadyClock) -> None:
    add_item(memory, "Otters sleep in rafts.", HERE, layer=EPISODIC, title="otters")
    add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC, title="otters")
    engine.sync()
    clock.pass_by(days=31)
    done = memory.retention.purge(HERE)
    assert (len(done.items), done.vectors, vectors(engine)) == (1, 0, 1)
    assert len(engine.search(Request("otters", mode="semantic")).hits) == 1


def test_purging_one_scope_leaves_the_others(memory: Memory, clock: SteadyClock) -> None:
    for agent in ("ann", "ben"):
        memory.conversations.add(Scope(agent), "user", "hello")
    clock.pass_by(days=2)
    assert memory.retention.due(ALL).messages == 2
    assert memory.retention.purge(Scope("ann")).messages == 1
    assert memory.conversations.messages(ALL).total == 1


def test_retired_memories_are_purged_only_when_asked(engine: Engine, memory: Memory) -> None:
    item = add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC)
    engine.sync()
    memory.corrections.retire(item.document.id, Scope("ann"), reason="wrong")
    assert memory.retention.due(HERE).items == ()
    assert len(memory.retention.purge(HERE, retired=True).items) == 1
    assert memory.items.list(HERE, retired=True) == ()
    assert all(check.ok is not False for check in engine.doctor())


@settings(max_examples=8)
@given(hours=st.lists(st.floats(-2000, 5000), min_size=1, max_size=3), layer=st.sampled_from(sorted(LAYERS)))
def test_retention_never_deletes(
    tmp_path_factory: pytest.TempPathFactory, hours: list[float], layer: int
) -> None:
    clock = SteadyClock()
    with Engine(load(tmp_path_factory.mktemp("kept"), environ={}), clock) as engine:
        if layer == WORKING:
            ref = engine.memory.conversations.add(HERE, "user", "otters").id
        else:
            ref = add_item(engine.memory, "otters", HERE, layer=layer).document.id
        for passed in hours:
            clock.pass_by(hours=passed)
            engine.sync()
            engine.search(Request("otters"))
        assert engine.show(ref).text == "otters"
