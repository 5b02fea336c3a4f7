"""The scratchpad: set, get, list and delete by key; old values are kept and can be brought back (M1)."""

from __future__ import annotations

import pytest

from ark_tui.domain.errors import NotFound
from ark_tui.domain.memory import Scope
from ark_tui.engine.memory import Memory

HERE = Scope()


def test_a_value_is_set_got_listed_and_deleted_by_key(memory: Memory) -> None:
    memory.scratch.set(HERE, "plan", "ask ann")
    memory.scratch.set(HERE, "idea", "-5")
    assert memory.scratch.get(HERE, "plan").value == "ask ann"
    assert [(one.key, one.value) for one in memory.scratch.list(HERE)] == [
        ("idea", "-5"),
        ("plan", "ask ann"),
    ]
    assert memory.scratch.delete(HERE, "plan").value == "ask ann"
    assert [one.key for one in memory.scratch.list(HERE)] == ["idea"]


def test_old_values_are_kept_and_can_be_brought_back(memory: Memory) -> None:
    for value in ("one", "two", "two", "three"):
        memory.scratch.set(HERE, "plan", value)
    assert [one.value for one in memory.scratch.versions(HERE, "plan")] == ["one", "two", "three"]
    assert memory.scratch.restore(HERE, "plan", 1).value == "one"
    assert memory.scratch.get(HERE, "plan").version == 4
    memory.scratch.delete(HERE, "plan")
    with pytest.raises(NotFound, match="no key plan") as deleted:
        memory.scratch.get(HERE, "plan")
    assert "scratch restore" in deleted.value.hint
    assert memory.scratch.restore(HERE, "plan").value == "one"
    with pytest.raises(NotFound, match="no version 5") as unknown:
        memory.scratch.restore(HERE, "plan", 5)
    assert "1, 2, 3, 4, 6" in unknown.value.hint


def test_scopes_do_not_see_each_other_and_a_person_sees_all(memory: Memory) -> None:
    for scope in (Scope("ann"), Scope("ben"), Scope("ben", "two")):
        memory.scratch.set(scope, "plan", f"of {scope.name}")
    assert memory.scratch.get(Scope("ben"), "plan").value == "of ben/default"
    assert len(memory.scratch.list(Scope("ALL", "ALL"))) == 3
    assert len(memory.scratch.list(Scope("ben", "ALL"))) == 2
    assert memory.scratch.list(HERE) == ()
