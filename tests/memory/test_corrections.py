"""What is known is corrected, superseded, retired and forgotten: by whom it may be, and once (M15)."""

from __future__ import annotations

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.layers import EPISODIC
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.domain.review import Amended
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from tests.erasing.traces import traces
from tests.support import add_item

HERE, ANN, BEN = (Scope(agent, "default") for agent in ("default", "ann", "ben"))
OLD, NEW = "Otters sleep on land.", "Otters sleep on the water."


def seen(engine: Engine, query: str = "where do otters sleep") -> set[str]:
    """Ids of all that any way of asking returns as true."""
    engine.sync()
    memory = engine.memory
    found = {hit.document.id for hit in engine.search(Request(query, superseded=True)).hits}
    found |= {item.document.id for item in memory.context(query).items}
    found |= {hit.document.id for hit in memory.recall(Request(query), "researcher").result.hits}
    for kind in (memory.facts, memory.patterns, memory.directives):
        found |= {one.document.id for one in kind.list()}
    return found | {one.document.id for one in memory.items.list(Scope("ALL", "ALL"))}


def added(memory: Memory, kind: str, text: str, by: Scope = ANN) -> str:
    """An item of a kind with a text."""
    match kind:
        case "fact":
            return str(memory.facts.add(text, by=by).document.id)
        case "pattern":
            return str(memory.patterns.add("where do otters sleep", text, by=by).document.id)
        case "directive":
            return str(memory.directives.add("MUST", text, by=by).document.id)
        case "episode":
            return add_item(memory, text, by, layer=EPISODIC, tier="doc", type="episode").document.id
    return memory.remember(text, "a diary", tier="doc", scope=by).document.id


KINDS = ["fact", "pattern", "directive", "episode", "memory"]
some_kinds = pytest.mark.parametrize("kind", ["pattern", "memory"])


@pytest.mark.parametrize("kind", KINDS)
def test_old_and_new_are_never_both_returned_as_true(engine: Engine, memory: Memory, kind: str) -> None:
    old = added(memory, kind, OLD)
    done = memory.corrections.correct(old, {"text": NEW}, ANN, reason="I looked", reach=ANN)
    assert (done.status, seen(engine)) == ("done", {done.replacement})
    with pytest.raises(UsageError, match="in force"):
        memory.corrections.revive(old, "", "default")
    memory.corrections.retire(done.replacement, ANN)
    memory.corrections.revive(old, "", "default")
    assert seen(engine) == {old}
    with pytest.raises(UsageError, match="in force"):
        memory.corrections.revive(done.replacement, "", "default")
    assert [move.reason for move in memory.items.moves(old)] == ["I looked", ""]
    assert all(check.ok is not False for check in engine.doctor())


@some_kinds
def test_an_agent_proposes_what_is_not_its_own_and_a_person_decides(
    engine: Engine, memory: Memory, kind: str
) -> None:
    old = added(memory, kind, OLD)
    asked = memory.corrections.correct(old, {"text": NEW}, BEN, reason="I looked", reach=BEN)
    again = memory.corrections.correct(old, {"text": NEW}, BEN, reason="I looked", reach=BEN)
    assert (asked.status, again, seen(engine)) == ("proposed", asked, {old})
    (one,) = memory.review.list()
    assert (one.relation, one.model, one.reason) == ("supersedes", "agent ben", "I looked")
    assert NEW in one.claim
    assert OLD in one.target_text
    new = memory.review.accept(one.id).made
    assert seen(engine) == {new}
    memory.review.undo()
    assert seen(engine) == {old}
    memory.review.reject(one.id)
    with pytest.raises(UsageError, match="refused"):
        memory.corrections.correct(old, {"text": NEW}, BEN, reason="I looked", reach=BEN)


@some_kinds
def test_a_retirement_is_proposed_accepted_and_taken_back(engine: Engine, memory: Memory, kind: str) -> None:
    old = added(memory, kind, OLD)
    assert memory.corrections.retire(old, BEN, reason="they do not", reach=BEN).status == "proposed"
    (one,) = memory.review.list()
    memory.review.accept(one.id)
    assert seen(engine) == set()
    assert memory.review.undo().reason == "they do not"
    assert seen(engine) == {old}
    assert memory.corrections.retire(old, ANN, reach=ANN) == Amended("done", old)


def test_what_a_person_has_approved_an_agent_only_proposes_to_correct(engine: Engine, memory: Memory) -> None:
    old = memory.facts.add(OLD, by=ANN, tier="wiki").document.id
    asked = memory.corrections.correct(old, {"text": NEW}, ANN, reach=ANN)
    assert asked.status == "proposed"
    done = memory.corrections.correct(old, {"text": NEW}, HERE)
    assert memory.items.get(done.replacement).document.tier == "wiki"
    assert seen(engine) == {done.replacement}


def test_an_item_that_is_there_takes_the_place_of_another(engine: Engine, memory: Memory) -> None:
    old, new = added(memory, "fact", OLD), added(memory, "memory", NEW, BEN)
    with pytest.raises(NotFound):
        memory.corrections.supersede(old, new, BEN, reach=BEN)
    assert memory.corrections.supersede(old, new, ANN, reach=ANN).replacement == new
    assert seen(engine) == {new}


def test_superseded_by_curation_an_item_is_in_no_list_and_no_context(engine: Engine, memory: Memory) -> None:
    old, new = added(memory, "fact", OLD), added(memory, "fact", NEW)
    engine.curation.edit(edits.supersede, [old], new)
    assert {item.document.id for item in memory.context("where do otters sleep").items} == {new}
    assert [one.document.id for one in memory.facts.list()] == [new]


def test_what_cannot_be_corrected_is_said(memory: Memory) -> None:
    fact = added(memory, "fact", OLD)
    for changes, what in (
        ({"text": OLD}, "nothing"),
        ({"problem": "x"}, "has no problem"),
        ({}, "nothing"),
    ):
        with pytest.raises(UsageError, match=what):
            memory.corrections.correct(fact, changes, ANN)
    memory.corrections.retire(fact, ANN)
    with pytest.raises(UsageError, match="is retired"):
        memory.corrections.correct(fact, {"text": NEW}, ANN)


def test_a_pattern_that_was_brought_back_is_found_by_its_problem(memory: Memory) -> None:
    pattern = memory.patterns.add("the otters drift away at night", "tie them with kelp").document.id
    before = memory.context("the otters drift away at night").items[0].similarity
    memory.corrections.retire(pattern, HERE)
    memory.corrections.revive(pattern, "", "default")
    after = memory.context("the otters drift away at night").items[0]
    assert after.document.id == pattern
    assert after.similarity == pytest.approx(before)


WORD = "q7x3zk9vw1mfj5hbt2gdncyp"


def test_of_what_is_forgotten_no_byte_is_left(engine: Engine, memory: Memory) -> None:
    olds = [added(memory, kind, f"The word of the {kind} is {WORD}.") for kind in KINDS]
    memory.corrections.correct(olds[0], {"text": f"{WORD} is not the word."}, BEN, reach=BEN)
    news = [
        memory.corrections.correct(old, {"text": f"It was {WORD} {old}."}, ANN).replacement for old in olds
    ]
    kept = added(memory, "fact", NEW)
    engine.sync()
    said = memory.forgetting.forget(news)
    assert {one.document.id for one in said.items} == {*olds, *news}
    assert (said.done, said.candidates, seen(engine, "the word")) == (False, 1, {*news, kept})
    done = memory.forgetting.forget(news, yes=True)
    assert (done.done, done.items) == (True, said.items)
    assert traces(engine.settings.home.path, WORD) == set()
    assert seen(engine, "the word") == {kept}
    assert all(check.ok is not False for check in engine.doctor())


def test_an_agent_forgets_its_own_and_messages_go_with_what_was_made_of_them(
    engine: Engine, memory: Memory
) -> None:
    said = memory.conversations.add(ANN, "user", f"The word is {WORD}.")
    made = memory.tiers.move(said.id, "worth keeping", "ann", layer="semantic").id
    with pytest.raises(NotFound):
        memory.forgetting.forget([made], reach=BEN)
    with pytest.raises(NotFound):
        memory.forgetting.forget([said.id], reach=BEN)
    would = memory.forgetting.forget([made], reach=ANN)
    assert (would.rest_on, len(would.messages)) == (("default/1",), 0)
    done = memory.forgetting.forget([made], sources=True, yes=True, reach=ANN)
    assert ([one.id for one in done.messages], done.rest_on) == ([said.id], ())
    assert traces(engine.settings.home.path, WORD) == set()
