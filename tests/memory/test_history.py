"""History by pages: the newest first, a page at a time, with how much there is in all."""

from __future__ import annotations

from typing import Any

import pytest

from ark_tui.domain.errors import NotFound
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from tests.support import SteadyClock

MINE, OTHER = Scope(), Scope("agent7", "s1")


def test_the_conversation_that_was_added_to_last_comes_first_whoevers_it_is(
    engine: Engine, clock: SteadyClock
) -> None:
    said = engine.memory.conversations
    for scope, name in ((MINE, "old"), (OTHER, "new"), (MINE, "empty")):
        said.create(scope, name)
        clock.pass_by(minutes=1)
    said.add(OTHER, "user", "Why is it slow?\nReally", conversation="new")
    clock.pass_by(minutes=1)
    said.add(MINE, "user", "Hello", conversation="old")
    page = engine.history.conversations()
    assert [row.conversation.id for row in page.rows] == ["old", "new", "empty"]
    assert [row.conversation.messages for row in page.rows] == [1, 1, 0]
    assert [row.beginning for row in page.rows] == ["user: Hello", "user: Why is it slow? Really", ""]
    assert (page.rows[0].latest - page.rows[1].latest).seconds == 60
    assert page.total == 3
    assert [row.conversation.id for row in engine.history.conversations(1, limit=1).rows] == ["new"]
    assert [row.conversation.id for row in engine.history.conversations(scope=OTHER).rows] == ["new"]


def test_messages_come_by_pages_and_around_one_of_them(engine: Engine) -> None:
    said = engine.memory.conversations
    said.extend(MINE, [Saying("user", f"message {i}") for i in range(1, 31)])
    (talk,) = engine.history.conversations().rows
    page = engine.history.messages(talk.conversation.number, 20, limit=5)
    assert [one.content for one in page.rows] == [f"message {i}" for i in range(21, 26)]
    assert (page.total, page.offset) == (30, 20)
    of, around = engine.history.around(page.rows[0].id, limit=4)
    assert of == talk.conversation
    assert [one.sequence for one in around.rows] == [19, 20, 21, 22]
    assert engine.history.around(engine.history.messages(of.number).rows[0].id, limit=4)[1].offset == 0
    with pytest.raises(NotFound):
        engine.history.around("feedfeedfeed")


def test_what_another_adds_while_one_searches_is_not_found(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = engine.memory.conversations
    said.add(MINE, "user", "a spectral gap")
    searched = said._searched

    def late(scope: Scope, conversation: str) -> Any:
        found = searched(scope, conversation)
        if scope == MINE:
            said.add(OTHER, "user", "the gap again")
            said.search(OTHER, "gap")
        return found

    monkeypatch.setattr(said, "_searched", late)
    assert [one.content for one in said.search(MINE, "gap").messages] == ["a spectral gap"]


def test_searches_come_the_newest_first_without_their_answers_and_by_words_or_id(
    engine: Engine, clock: SteadyClock
) -> None:
    engine.memory.facts.add("The spectral gap bounds the mixing time.")
    for query in ("spectral gap", "mixing"):
        engine.search(Request(query))
        clock.pass_by(minutes=1)
    last = engine.search(Request("the GAP"))
    page = engine.history.searches()
    assert [row.query for row in page.rows] == ["the GAP", "mixing", "spectral gap"]
    assert page.total == 3
    assert not any(row.answers for row in page.rows)
    assert page.rows[0].request.agent == "default"
    assert [row.query for row in engine.history.searches(1, limit=1).rows] == ["mixing"]
    narrowed = engine.history.searches(words="gap")
    assert ([row.query for row in narrowed.rows], narrowed.total) == (["the GAP", "spectral gap"], 2)
    named = engine.history.searches(words=last.retrieval_id[:6])
    assert [row.id for row in named.rows] == [last.retrieval_id]
    assert engine.history.search(last.retrieval_id).answers
