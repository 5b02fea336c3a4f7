"""Promotion and demotion by hand, with the reason kept; wiki only by a person (M5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.curation import notes
from ark_tui.domain.errors import NotFound, StoreError, UsageError
from ark_tui.domain.layers import EPISODIC, SEMANTIC
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.operations.call import Call
from ark_tui.operations.memories import promote
from tests.support import SteadyClock, add_item

HERE = Scope()


def test_a_memory_moves_on_both_axes_and_the_reasons_are_kept(engine: Engine, memory: Memory) -> None:
    ref = add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC).document.id
    memory.tiers.move(ref, "checked with Ann", "ben", tier="wiki")
    memory.tiers.move(ref, "everybody must know", "ben", layer="directive")
    engine.sync()
    (hit,) = engine.search(Request("otters tier:wiki layer:9")).hits
    assert (hit.document.tier, hit.document.layer) == ("wiki", 9)
    assert [(m.axis, m.was, m.became, m.reason, m.agent) for m in memory.items.moves(ref)] == [
        ("tier", "raw", "wiki", "checked with Ann", "ben"),
        ("layer", "3", "9", "everybody must know", "ben"),
    ]


def test_only_a_person_makes_something_wiki(engine: Engine) -> None:
    ref = add_item(engine.memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC).document.id
    agent, person = Call(engine), Call(engine, person=True)
    with pytest.raises(UsageError, match="Only a person"):
        promote(agent, ref, tier="wiki", reason="I am sure")
    assert promote(agent, ref, tier="reflection", reason="I am sure").document.tier == "reflection"
    assert promote(person, ref, tier="wiki", reason="I am sure").document.tier == "wiki"
    with pytest.raises(NotFound):
        promote(agent, ref, tier="doc", reason="I doubt it")


def test_an_agent_moves_no_memory_of_another(engine: Engine) -> None:
    ref = add_item(engine.memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC).document.id
    with pytest.raises(NotFound, match="not a memory of ann"):
        promote(Call(engine, agent="ann"), ref, tier="doc", reason="it is mine")
    with pytest.raises(NotFound, match="not a memory of ann"):
        promote(Call(engine, agent="ann"), ref, layer="pattern", reason="it is mine")
    assert not engine.memory.items.moves(ref)


def test_a_tier_and_a_layer_are_given_in_one_transaction_or_not_at_all(
    engine: Engine, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC).document.id
    call = Call(engine, person=True)
    before = engine.status().change

    def full(*_: object) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(notes, "carry_out", full)
        with pytest.raises(StoreError):
            promote(call, ref, tier="doc", layer="pattern", reason="both")
    assert (engine.status().change, memory.items.moves(ref)) == (before, ())
    standing = promote(call, ref, tier="doc", layer="pattern", reason="both")
    assert (standing.document.tier, standing.layer) == ("doc", 4)
    assert [move.axis for move in standing.moves] == ["layer", "tier"]


def test_a_file_can_be_given_a_tier_that_can_be_taken_back_and_a_message_is_raw(
    engine: Engine, memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Otters.", "utf-8")
    engine.index([tmp_path / "notes"])
    assert memory.tiers.move("a.md", "so", "ben", tier="wiki").tier == "wiki"
    engine.curation.undo()
    assert engine.document("a.md").tier == "doc"
    said = memory.conversations.add(HERE, "user", "Otters sleep in rafts.")
    with pytest.raises(UsageError, match="raw"):
        memory.tiers.move(said.id, "so", "ben", tier="wiki")


def test_a_memory_is_made_of_a_message_and_leads_back_to_it(engine: Engine, memory: Memory) -> None:
    said = memory.conversations.add(Scope("ann", "one"), "user", "Otters sleep in rafts.")
    made = memory.tiers.move(said.id, "it holds in general", "ben", layer="semantic")
    engine.sync()
    assert [h.document.id for h in engine.search(Request("otters")).hits] == [made.id]
    item = memory.items.get(made.id)
    assert (item.text, item.scope, item.document.layer) == (said.content, Scope("ann", "one"), SEMANTIC)
    (link,) = engine.reading.links(made.id)
    assert (link.relation, link.document and link.document.id) == ("derives_from", said.id)
    assert memory.conversations.messages(Scope("ann", "one")).total == 1
    assert all(check.ok is not False for check in engine.doctor())


def test_retention_begins_anew_in_another_layer(engine: Engine, memory: Memory, clock: SteadyClock) -> None:
    ref = add_item(memory, "How otters were counted.", HERE, layer=SEMANTIC).document.id
    clock.pass_by(days=400)
    memory.tiers.move(ref, "one winter only", "ben", layer=EPISODIC)
    engine.sync()
    assert len(engine.search(Request("otters")).hits) == 1
    clock.pass_by(days=31)
    assert engine.search(Request("otters")).hits == ()
    memory.tiers.move(ref, "every winter, it turned out", "ben", layer=SEMANTIC)
    engine.sync()
    assert len(engine.search(Request("otters")).hits) == 1
