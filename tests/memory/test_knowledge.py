"""Facts, patterns and directives: added once, retired, found by search with their tier and layer."""

from __future__ import annotations

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory

AGENT = Scope("claude", "s1")


def found(engine: Engine, query: str) -> list[str]:
    return [hit.document.id for hit in engine.search(Request(query)).hits]


def test_each_is_found_by_search_at_once_with_its_layer_and_tier(engine: Engine, memory: Memory) -> None:
    fact = memory.facts.add("Otters sleep in rafts.", tier="wiki").document.id
    pattern = memory.patterns.add("the otters drift away", "let them hold hands").document.id
    directive = memory.directives.add("NEVER", "wake an otter").document.id
    assert found(engine, "otters layer:3") == [fact]
    assert found(engine, "otters layer:4") == [pattern]
    assert found(engine, "otter layer:directive") == [directive]
    assert found(engine, "otters tier:wiki") == [fact]
    assert set(found(engine, "otters in:memory")) == {fact, pattern, directive}


def test_what_is_said_again_is_the_same_item(memory: Memory) -> None:
    facts = memory.facts
    assert facts.add("Otters sleep.").document == facts.add("Otters sleep.", by=AGENT).document
    assert len({memory.patterns.add("drift", "hands").document.id for _ in range(2)}) == 1
    one = memory.directives.add("must", "knock", scope="otters/")
    again = memory.directives.add("MUST", "knock ", scope="otters/", priority=5)
    assert (one.document.id, again.priority) == (again.document.id, 5)
    assert [len(one.list()) for one in (memory.facts, memory.patterns, memory.directives)] == [1, 1, 1]


def test_the_same_words_from_another_source_or_for_another_scope_are_another_item(memory: Memory) -> None:
    memory.facts.add("Otters sleep.", source="a book")
    memory.facts.add("Otters sleep.", source="a friend")
    memory.directives.add("MUST", "knock")
    memory.directives.add("MUST", "knock", scope="doors")
    memory.directives.add("PREFER", "knock")
    assert [fact.source for fact in memory.facts.list()] == ["a book", "a friend"]
    assert len(memory.directives.list()) == 3


def test_a_retired_item_leaves_searches_lists_and_contexts_and_is_kept(
    engine: Engine, memory: Memory
) -> None:
    fact = memory.facts.add("Otters sleep in rafts.")
    pattern = memory.patterns.add("the otters drift away", "let them hold hands")
    rule = memory.directives.add("NEVER", "wake an otter")
    for one in (fact, pattern, rule):
        memory.corrections.retire(one.document.id, AGENT, reason="they woke up")
    assert found(engine, "otters drift away") == []
    assert (memory.facts.list(), memory.patterns.list(), memory.directives.list()) == (
        (),
        (),
        (),
    )
    assert memory.context("otters drift away").items == ()
    assert [one.text for one in memory.facts.list(retired=True)] == ["Otters sleep in rafts."]
    assert [one.problem for one in memory.patterns.list(retired=True)] == ["the otters drift away"]
    assert [one.text for one in memory.directives.list(retired=True)] == ["wake an otter"]
    assert [check for check in engine.doctor() if not check.ok] == []


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_is_refused(memory: Memory, text: str) -> None:
    for add in (
        lambda: memory.facts.add(text),
        lambda: memory.patterns.add(text, "x"),
        lambda: memory.patterns.add("x", text),
        lambda: memory.directives.add("MUST", text),
    ):
        with pytest.raises(UsageError):
            add()
