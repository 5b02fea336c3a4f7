"""Many messages at once: stored by column, indexed beside that, and never missed without a word."""

from __future__ import annotations

import pytest

from ark_tui import operations
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, following
from ark_tui.operations.call import Call

HERE = Scope()
MANY = 300


def said(count: int = MANY) -> list[Saying]:
    return [Saying("assistant" if i % 3 else "user", f"otter number {i}") for i in range(count)]


def test_many_messages_are_indexed_before_anybody_searches(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "NEXT_LOOK", MANY)
    index = engine.messages
    engine.memory.conversations.extend(HERE, said(MANY - 1))
    assert index._thread is None  # few: whoever searches takes them up
    engine.memory.conversations.add(HERE, "user", "the last of many")
    assert index._thread is not None
    index._thread.join()
    assert engine.messages_follower().state().behind == 0


def test_a_search_while_many_are_indexed_says_how_many_it_lacks(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MOST_MESSAGES", MANY - 1)
    search = operations.history.search
    engine.memory.conversations.add(HERE, "user", "the first otter")
    assert search(Call(engine), "otter").total == 1
    engine.memory.conversations.extend(HERE, said())
    with engine.messages_follower()._must_be_alone(0.0):  # as another process that writes it
        page = search(Call(engine), "otter")
        assert (page.total, page.notice) == (1, "300 messages are still being indexed, and not found yet.")
        lamps = {lamp.signal: lamp.reason for lamp in engine.search(Request("otter in:history")).lamps}
        assert lamps["bm25"] == page.notice
    engine.messages._begin().join()
    page = search(Call(engine), "otter", limit=2 * MANY)
    assert len(page.items) == MANY + 1
    assert "indexed" not in page.notice
