"""Tasks (M2) and the scratchpad, whose old values are kept and can be brought back (M1)."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

import pytest

from ark_tui.domain.errors import NotFound
from ark_tui.domain.memory import Scope, Task
from ark_tui.engine.memory import Memory

HERE = Scope()  # the clock stands at Thursday, 2026-01-01, 00:00 UTC


def ids(tasks: tuple[Task, ...]) -> list[int]:
    return [task.id for task in tasks]


def test_ids_count_from_one_in_their_scope_and_are_never_given_twice(memory: Memory) -> None:
    assert [memory.tasks.add(HERE, text).id for text in ("a", "b")] == [1, 2]
    assert memory.tasks.add(Scope("ann"), "hers").id == 1
    memory.tasks.delete(HERE, 2)
    assert memory.tasks.add(HERE, "c").id == 3


def test_open_tasks_are_listed_and_all_on_request(memory: Memory) -> None:
    for text in ("a", "b", "c"):
        memory.tasks.add(HERE, text)
    memory.tasks.done(HERE, 1)
    memory.tasks.delete(HERE, 2)
    assert ids(memory.tasks.list(HERE)) == [3]
    assert [(t.id, t.state) for t in memory.tasks.list(HERE, all=True)] == [(1, "done"), (3, "open")]
    memory.tasks.reopen(HERE, 1)
    memory.tasks.reopen(HERE, 2)
    assert ids(memory.tasks.list(HERE)) == [1, 2, 3]
    assert ids(memory.tasks.list(Scope("ALL", "ALL"))) == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("", None),
        ("none", None),
        ("today", date(2026, 1, 1)),
        ("tomorrow", date(2026, 1, 2)),
        ("next monday", date(2026, 1, 5)),
        ("in 3 days", date(2026, 1, 4)),
        ("In two  weeks", date(2026, 1, 15)),
        ("2026-02-03", date(2026, 2, 3)),
        ("5 march", date(2026, 3, 5)),
        ("tomorrow at 17:00", datetime(2026, 1, 2, 17, tzinfo=UTC)),
    ],
)
def test_due_dates_are_plain_words_counted_from_the_clock(
    memory: Memory, words: str, due: date | datetime | None
) -> None:
    assert memory.tasks.add(HERE, "a", due=words).due == due
    assert memory.tasks.list(HERE)[0].due == due


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("today", date(2025, 12, 31)),
        ("tomorrow at 17:00", datetime(2026, 1, 1, 22, tzinfo=UTC)),
        ("2026-07-01 17:00", datetime(2026, 7, 1, 21, tzinfo=UTC)),
        ("2026-07-01 17:00 UTC", datetime(2026, 7, 1, 17, tzinfo=UTC)),
        ("in 3 hours", datetime(2026, 1, 1, 3, tzinfo=UTC)),
    ],
)
def test_local_words_are_read_by_the_clock_of_this_machine_that_day(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, words: str, due: date | datetime
) -> None:
    monkeypatch.setenv("TZ", "EST5EDT,M3.2.0,M11.1.0")
    time.tzset()
    try:
        assert memory.tasks.add(HERE, "a", due=words, local=True).due == due
    finally:
        monkeypatch.undo()
        time.tzset()


def test_tasks_are_listed_by_tag_and_by_when_they_are_due(memory: Memory) -> None:
    memory.tasks.add(HERE, "a", due="tomorrow", tags=["home", "#fun"])
    memory.tasks.add(HERE, "b", due="friday 17:00", tags=["work"])
    memory.tasks.add(HERE, "c", due="in 9 days")
    memory.tasks.add(HERE, "d")
    assert ids(memory.tasks.list(HERE, tag="fun")) == [1]
    assert ids(memory.tasks.list(HERE, due="friday")) == [1, 2]
    assert ids(memory.tasks.list(HERE, due="in 10 days")) == [1, 2, 3]


def test_a_task_is_edited_and_put_before_another(memory: Memory) -> None:
    for text in ("a", "b", "c"):
        memory.tasks.add(HERE, text, tags=["home"])
    memory.tasks.edit(HERE, 3, before=2)
    memory.tasks.edit(HERE, 2, before=1)
    assert ids(memory.tasks.list(HERE)) == [2, 1, 3]
    edited = memory.tasks.edit(HERE, 1, text="A", due="tomorrow", add=["fun"], drop=["home"])
    assert (edited.text, edited.due, edited.tags) == ("A", date(2026, 1, 2), ("fun",))
    assert memory.tasks.edit(HERE, 1, due="none").due is None


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
