"""Facts, patterns and directives: added once, edited, retired, found by search with their tier and layer."""

from __future__ import annotations

import pytest

from ark_tui.domain.errors import NotFound, UsageError
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


def test_an_edited_item_stays_the_same_and_is_found_by_its_new_text(engine: Engine, memory: Memory) -> None:
    fact = memory.facts.add("Otters sleep in rafts.", source="a book", tags=["sea"])
    edited = memory.facts.edit(fact.document.short_id, "Beavers build lodges.")
    assert (edited.document.id, edited.text, edited.source) == (
        fact.document.id,
        "Beavers build lodges.",
        "a book",
    )
    assert edited.document.tags == ("sea",)
    assert found(engine, "beavers layer:3") == [fact.document.id]
    assert found(engine, '"rafts"') == []
    added = memory.facts.add("Otters sleep in rafts.", source="a book")
    assert added.document.id != fact.document.id


def test_a_directive_changes_by_what_is_given_of_it(memory: Memory) -> None:
    rule = memory.directives.add("MUST", "knock", scope="doors", priority=1)
    edited = memory.directives.edit(rule.document.id, kind="prefer", scope="global")
    assert (edited.kind, edited.text, edited.scope, edited.priority) == ("PREFER", "knock", "", 1)
    assert memory.directives.edit(rule.document.id, text="ring", priority=0).text == "ring"
    with pytest.raises(UsageError, match="nothing to change"):
        memory.directives.edit(rule.document.id)


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


def test_an_item_of_another_kind_is_refused_and_so_is_a_document(engine: Engine, memory: Memory) -> None:
    fact = memory.facts.add("Otters sleep.").document.id
    note = engine.ingest_text("A note.").id
    for act in (
        lambda: memory.patterns.edit(fact, solution="x"),
        lambda: memory.directives.retire(fact),
        lambda: memory.facts.edit(note, "x"),
        lambda: memory.facts.retire(note),
        lambda: memory.facts.retire("nowhere"),
    ):
        with pytest.raises(NotFound):
            act()
