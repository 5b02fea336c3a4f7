"""What to do next is told in the terms of whoever asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.domain.errors import Hint
from ark_tui.engine import Engine
from tests.operations.interfaces import CATALOG, Command, Direct, Route, Tool

BACK = {
    Direct: "ark-tui tasks reopen 1",
    Command: "ark-tui tasks reopen 1",
    Route: "POST /tasks/1/reopen",
    Tool: "tasks_reopen(id=1)",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Engine(settings.load(tmp_path / "home")) as engine:
        scope = engine.memory.scope()
        engine.memory.tasks.add(scope, "call Ann")
        engine.memory.tasks.delete(scope, 1)
    return tmp_path / "home"


@pytest.mark.parametrize("kind", BACK)
def test_a_hint_is_a_command_a_request_or_a_call(kind: Any, home: Path) -> None:
    interface = kind(home)
    told = interface.ask(CATALOG.get("tasks done"), {"id": 1})
    interface.close()
    assert told.json == {
        "error": "There is no task 1 in default/default.",
        "hint": f"It was deleted; bring it back: {BACK[kind]}.",
    }


def test_a_sentence_may_have_braces_of_its_own() -> None:
    hint = Hint.run("show", "{x}", say="Of {a} and {}: {}.")
    assert hint == "Of {a} and {}: ark-tui show {x}."
    assert hint.worded("GET /documents") == "Of {a} and {}: GET /documents."
