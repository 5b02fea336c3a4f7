"""What to do next is told in the terms of whoever asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.domain.errors import Hint, StoreError
from ark_tui.engine import Engine
from ark_tui.interfaces.http import failures
from ark_tui.interfaces.mcp.tool import called
from ark_tui.interfaces.mcp.tools import memory
from ark_tui.operations import catalog
from tests.operations.interfaces import CATALOG, Command, Direct, Route

BACK = {Direct: "ark-tui tasks reopen 1", Command: "ark-tui tasks reopen 1", Route: "POST /tasks/1/reopen"}

assert memory.FAMILY.tools, "its tools word the steps of hints"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Engine(settings.load(tmp_path / "home")) as engine:
        scope = engine.scope()
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
    assert hint == 'Of {a} and {}: ark-tui show "{x}".'
    assert hint.worded(lambda _: "GET /documents") == "Of {a} and {}: GET /documents."


def test_what_joins_a_hint_leaves_its_steps_as_they_are() -> None:
    hint = Hint.run("doctor", repair=True, say="Run `{}`.")
    told = StoreError("The store in /home/ann/.ark is damaged.", hint + " " + Hint.give(home=True)).told
    assert isinstance(told, Hint)
    assert told == "The store in /home/ann/.ark is damaged. Run `ark-tui doctor --repair`. --home"
    assert told.worded(lambda step: step.name or "it").endswith("Run `doctor`. it")
    assert told.replace("/home/ann/.ark", "HOME").worded(str).startswith("The store in HOME is damaged.")


@pytest.mark.parametrize(
    ("hint", "request_", "call"),
    [
        (
            Hint.run("models", use="ollama:x"),
            "POST /models with use=ollama:x",
            "ark-tui models --use ollama:x (on the machine itself)",
        ),
        (Hint.run("queue show", "d1"), "GET /queue/d1", "ark-tui queue show d1 (on the machine itself)"),
        (Hint.give(collection="NAME"), "collection=NAME", "collection=NAME"),
        (Hint.run("doctor", repair=True), *["ark-tui doctor --repair (on the machine itself)"] * 2),
        (Hint.run("index", "~/notes"), *["ark-tui index ~/notes (on the machine itself)"] * 2),
        (Hint.run("models add", "x"), *["ark-tui models add x (on the machine itself)"] * 2),
        (Hint.run("eval", help=True), *["ark-tui eval --help (on the machine itself)"] * 2),
    ],
)
def test_what_programs_may_not_ask_for_is_told_as_a_person_types_it(
    hint: Hint, request_: str, call: str
) -> None:
    assert failures.worded({"hints": [hint]}) == {"hints": [request_]}
    assert catalog.worded(hint, called) == call
