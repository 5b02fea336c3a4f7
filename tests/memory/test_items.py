"""Memories are documents with a tier and a layer: found, filtered, hidden and kept (M5)."""

from __future__ import annotations

import pytest

from ark_tui.domain.errors import NotFound
from ark_tui.domain.layers import EPISODIC, SEMANTIC
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Mode, Request
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from tests.support import SteadyClock, add_item

HERE = Scope()


def titles(engine: Engine, query: str, mode: Mode = "hybrid") -> list[str]:
    engine.sync()
    return [hit.document.title for hit in engine.search(Request(query, mode=mode, below=True)).hits]


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_plain_search_covers_documents_and_memories_and_layer_and_tier_filter(
    engine: Engine, memory: Memory, mode: Mode
) -> None:
    engine.ingest_text("Otters sleep in rafts.", title="a document")
    add_item(memory, "Otters hold hands.", HERE, layer=SEMANTIC, tier="wiki", title="a fact")
    add_item(
        memory, "How the otters were counted.", HERE, layer=EPISODIC, tier="reflection", title="an episode"
    )
    assert set(titles(engine, "otters", mode)) == {"a document", "a fact", "an episode"}
    assert titles(engine, "otters layer:3", mode) == ["a fact"]
    assert titles(engine, "otters layer:episodic", mode) == ["an episode"]
    assert titles(engine, "otters tier:wiki", mode) == ["a fact"]
    assert titles(engine, "otters in:memory -layer:3", mode) == ["an episode"]


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_an_episode_leaves_retrieval_after_thirty_days_and_stays_in_the_archive(
    engine: Engine, memory: Memory, clock: SteadyClock, mode: Mode
) -> None:
    item = add_item(memory, "How the otters were counted.", HERE, layer=EPISODIC, title="an episode")
    add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC, title="a fact")
    clock.pass_by(days=30, minutes=-1)
    assert set(titles(engine, "otters", mode)) == {"an episode", "a fact"}
    clock.pass_by(minutes=2)
    assert titles(engine, "otters", mode) == ["a fact"]
    assert titles(engine, "in:memory layer:2", mode) == []
    assert memory.items.get(item.document.id).text == "How the otters were counted."
    assert len(memory.items.list(HERE)) == 2


def test_what_is_retired_leaves_retrieval_and_can_be_brought_back(engine: Engine, memory: Memory) -> None:
    item = add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC, title="a fact")
    memory.corrections.retire(item.document.id, Scope("ann"), reason="they do not")
    assert titles(engine, "otters") == []
    assert memory.items.list(HERE) == ()
    (kept,) = memory.items.list(HERE, retired=True)
    assert (kept.retired, kept.text) == (True, "Otters sleep in rafts.")
    for _ in range(2):  # the second time, there is nothing to do
        memory.corrections.revive(item.document.id, "they do", "ben")
    assert titles(engine, "otters") == ["a fact"]
    assert [(m.became, m.reason, m.agent) for m in memory.items.moves(item.document.id)] == [
        ("retired", "they do not", "ann"),
        ("", "they do", "ben"),
    ]
    assert all(check.ok is not False for check in engine.doctor())


def test_what_waited_for_a_review_waits_again_when_it_is_brought_back(memory: Memory) -> None:
    item = add_item(memory, "Otters sleep in rafts.", HERE, layer=SEMANTIC, status="candidate")
    memory.corrections.retire(item.document.id, Scope("ann"), reason="unsure")
    assert memory.corrections.revive(item.document.id, "sure", "ann").document.status == "candidate"


def test_an_agent_brings_back_what_is_its_own_and_no_wiki_text(memory: Memory) -> None:
    mine, hers = Scope("otter"), Scope("heron")
    fact = memory.facts.add("Otters sleep in rafts.", by=mine).document.id
    memory.corrections.retire(fact, mine, reason="no", reach=mine)
    with pytest.raises(NotFound, match="not a memory of heron"):
        memory.corrections.revive(fact, "yes", hers.agent, hers)
    assert memory.items.get(fact).retired
    assert not memory.corrections.revive(fact, "yes", mine.agent, mine).retired
    memory.tiers.move(fact, "a person read it", "ann", tier="wiki")
    memory.corrections.retire(fact, HERE, reason="no")
    with pytest.raises(NotFound):
        memory.corrections.revive(fact, "yes", mine.agent, mine)
    assert not memory.corrections.revive(fact, "", "default").retired
