"""A first answer: once the home is open, nothing is loaded or opened that could have been before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server

FIRST = """
import sys
from pathlib import Path
from ark_tui.embedding import static
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from ark_tui.settings import load

with Engine(load(Path(sys.argv[1]))) as engine:
    asked = server.make(engine)
    asked.open()
    if sys.argv[2] == "warm":
        asked.warm()
    before = set(sys.modules), static.units.cache_info().misses, static.tokenizer.cache_info().misses
    assert not asked.call("knowledge_search", {"query": "warm the pot"})["isError"]
    assert static.units.cache_info().misses - before[1] == (sys.argv[2] == "cold")
    assert static.tokenizer.cache_info().misses == before[2]
    print(*set(sys.modules) - before[0])
"""


def first(home: Path, state: str) -> set[str]:
    """The modules that a first answer loads; it loads no tokenizer."""
    command = [sys.executable, "-c", FIRST, str(home), state]
    return set(subprocess.check_output(command, text=True, timeout=120).split())


def test_a_first_answer_loads_nothing(home: Path) -> None:
    assert first(home, "warm") == set()


def test_one_that_is_asked_for_at_once_loads_what_it_needs_and_opens_no_store(home: Path) -> None:
    loaded = first(home, "cold")
    assert len(loaded) > 10
    assert not loaded & {"duckdb", "tokenizers", "ark_tui.memory.chats.mail"}


def test_a_call_makes_only_its_own_tool_and_is_not_joined_by_a_search_of_ours(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, searched, search = server.make(engine), [], Engine.search

    def counted(self: Engine, request: Request, stop: Stop = NEVER) -> SearchResult:
        searched.append(request.query)
        return search(self, request, stop)

    monkeypatch.setattr(Engine, "search", counted)
    assert not asked.call("knowledge_search", {"query": "warm the pot"})["isError"]
    asked.warm()
    assert searched == ["warm the pot"]
    assert "tools" not in vars(asked)  # all of them
    made = len(asked._made)
    assert made < len(asked.tools)
    assert "Did you mean knowledge_search?" in str(asked.call("knowledge_serch", {}))


def test_once_it_is_warm_no_tool_is_made_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = server.make(engine)
    asked.warm()
    made = []
    monkeypatch.setattr("ark_tui.interfaces.mcp.tool.create_model", lambda *given, **_: made.append(given))
    for name in ("knowledge_search", "memory_context"):
        assert not asked.call(name, {"query": "warm the pot"})["isError"]
    assert made == []
