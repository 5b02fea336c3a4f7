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
    fact = memory.add_fact("Otters sleep in rafts.", tier="wiki").document.id
    pattern = memory.add_pattern("the otters drift away", "let them hold hands").document.id
    directive = memory.add_directive("NEVER", "wake an otter").document.id
    assert found(engine, "otters layer:3") == [fact]
    assert found(engine, "otters layer:4") == [pattern]
    assert found(engine, "otter layer:directive") == [directive]
    assert found(engine, "otters tier:wiki") == [fact]
    assert set(found(engine, "otters in:memory")) == {fact, pattern, directive}


def test_what_is_said_again_is_the_same_item(memory: Memory) -> None:
    assert memory.add_fact("Otters sleep.").document == memory.add_fact("Otters sleep.", scope=AGENT).document
    assert len({memory.add_pattern("drift", "hands").document.id for _ in range(2)}) == 1
    one = memory.add_directive("must", "knock", where="otters/")
    again = memory.add_directive("MUST", "knock ", where="otters/", priority=5)
    assert (one.document.id, again.priority) == (again.document.id, 5)
    assert len(memory.facts()) == len(memory.patterns()) == len(memory.directives()) == 1


def test_the_same_words_from_another_source_or_for_another_scope_are_another_item(memory: Memory) -> None:
    memory.add_fact("Otters sleep.", source="a book")
    memory.add_fact("Otters sleep.", source="a friend")
    memory.add_directive("MUST", "knock")
    memory.add_directive("MUST", "knock", where="doors")
    memory.add_directive("PREFER", "knock")
    assert [fact.source for fact in memory.facts()] == ["a book", "a friend"]
    assert len(memory.directives()) == 3


def test_an_edited_item_stays_the_same_and_is_found_by_its_new_text(engine: Engine, memory: Memory) -> None:
    fact = memory.add_fact("Otters sleep in rafts.", source="a book", tags=["sea"])
    edited = memory.edit_fact(fact.document.short_id, "Beavers build lodges.")
    assert (edited.document.id, edited.text, edited.source) == (
        fact.document.id,
        "Beavers build lodges.",
        "a book",
    )
    assert edited.document.tags == ("sea",)
    assert found(engine, "beavers layer:3") == [fact.document.id]
    assert found(engine, '"rafts"') == []
    added = memory.add_fact("Otters sleep in rafts.", source="a book")
    assert added.document.id != fact.document.id


def test_a_pattern_keeps_its_confidence_through_an_edit(memory: Memory) -> None:
    pattern = memory.add_pattern("the tests hang", "set a timeout")
    memory.report_outcome(memory.context("the tests hang").retrieval_id, "success")
    edited = memory.edit_pattern(pattern.document.id, solution="set a timeout of 60 s")
    assert (edited.problem, edited.solution) == ("the tests hang", "set a timeout of 60 s")
    assert (edited.confidence, edited.successes) == (0.6, 1)


def test_a_directive_changes_by_what_is_given_of_it(memory: Memory) -> None:
    rule = memory.add_directive("MUST", "knock", where="doors", priority=1)
    edited = memory.edit_directive(rule.document.id, kind="prefer", where="global")
    assert (edited.kind, edited.text, edited.scope, edited.priority) == ("PREFER", "knock", "", 1)
    assert memory.edit_directive(rule.document.id, "ring", priority=0).text == "ring"
    with pytest.raises(UsageError, match="nothing to change"):
        memory.edit_directive(rule.document.id)


def test_a_retired_item_leaves_searches_lists_and_contexts_and_is_kept(
    engine: Engine, memory: Memory
) -> None:
    fact = memory.add_fact("Otters sleep in rafts.")
    pattern = memory.add_pattern("the otters drift away", "let them hold hands")
    rule = memory.add_directive("NEVER", "wake an otter")
    assert memory.retire_fact(fact.document.id, "they woke up").retired
    assert memory.retire_pattern(pattern.document.id).retired
    assert memory.retire_directive(rule.document.id).retired
    assert found(engine, "otters drift away") == []
    assert (memory.facts(), memory.patterns(), memory.directives()) == ((), (), ())
    assert memory.context("otters drift away").items == ()
    assert [one.text for one in memory.facts(retired=True)] == ["Otters sleep in rafts."]
    assert [one.problem for one in memory.patterns(retired=True)] == ["the otters drift away"]
    assert [one.text for one in memory.directives(retired=True)] == ["wake an otter"]
    assert memory.edit_pattern(pattern.document.id, solution="hold paws").retired
    assert found(engine, "otters drift away") == []
    assert [check for check in engine.doctor() if not check.ok] == []


def test_items_say_who_added_them_and_can_be_listed_by_it(memory: Memory) -> None:
    memory.add_fact("Otters sleep.", scope=AGENT)
    memory.add_fact("Beavers build.")
    assert [fact.by.agent for fact in memory.facts()] == ["claude", "default"]
    assert [fact.text for fact in memory.facts(AGENT)] == ["Otters sleep."]


def test_rules_stand_in_the_order_in_which_they_count(memory: Memory) -> None:
    for kind, text, priority in (("AVOID", "d", 0), ("PREFER", "c", 0), ("MUST", "a", 0), ("AVOID", "b", 9)):
        memory.add_directive(kind, text, priority=priority)
    assert [one.text for one in memory.directives()] == ["b", "a", "c", "d"]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_is_refused(memory: Memory, text: str) -> None:
    for add in (
        lambda: memory.add_fact(text),
        lambda: memory.add_pattern(text, "x"),
        lambda: memory.add_pattern("x", text),
        lambda: memory.add_directive("MUST", text),
    ):
        with pytest.raises(UsageError):
            add()


def test_ten_megabytes_and_control_characters_are_kept_as_they_are(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Memory, "_taken_up", lambda _, item: item)  # the indexes have tests of their own
    whole = "otter \x1b[2J\u202e raft\n" * 600_000
    assert len(whole) > 10_000_000
    assert memory.add_fact(whole).text == whole
    with pytest.raises(UsageError, match="too long for a directive"):
        memory.add_directive("MUST", whole)


def test_an_unknown_kind_is_refused_with_those_there_are(memory: Memory) -> None:
    with pytest.raises(UsageError, match="no kind of directive SHOULD") as caught:
        memory.add_directive("SHOULD", "knock")
    assert "MUST, NEVER, PREFER, AVOID" in caught.value.hint


def test_an_item_of_another_kind_is_refused_and_so_is_a_document(engine: Engine, memory: Memory) -> None:
    fact = memory.add_fact("Otters sleep.").document.id
    note = engine.ingest_text("A note.").id
    for act in (
        lambda: memory.edit_pattern(fact, solution="x"),
        lambda: memory.retire_directive(fact),
        lambda: memory.edit_fact(note, "x"),
        lambda: memory.retire_fact(note),
        lambda: memory.retire_fact("nowhere"),
    ):
        with pytest.raises(NotFound):
            act()
