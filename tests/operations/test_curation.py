"""Curation by programs: what they may do, what only a person may, and words that mean several operations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from tests.operations.interfaces import CATALOG, Command, Route, Told

NOTES = {"gap.md": "# Spectral gaps\n\nThe gap bounds the mixing.\n", "tea.md": "# Tea\n\nGreen tea.\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, "utf-8")
    with Engine(settings.load(tmp_path / "home")) as engine:
        engine.index([tmp_path / "notes"])
    return tmp_path / "home"


@pytest.fixture
def program(home: Path) -> Iterator[Route]:
    found = Route(home)
    yield found
    found.close()


def ask(interface: Command | Route, name: str, /, **given: Any) -> Told:
    return interface.ask(CATALOG.get(name), given)


def test_a_program_gives_every_tier_but_that_of_a_person(program: Route, home: Path) -> None:
    refused = ask(program, "tier", tier="wiki", refs=("gap.md",))
    assert (refused.refused, refused.json["error"]) == (True, "Only a person gives the tier wiki.")
    assert ask(program, "tier", tier="raw", refs=("gap.md",)).json["documents"][0]["tier"] == "raw"
    person = Command(home)
    assert ask(person, "tier", tier="wiki", refs=("gap.md",)).json["documents"][0]["tier"] == "wiki"


def test_a_program_writes_no_file_and_is_told_of_no_place_on_the_machine(
    program: Route, tmp_path: Path
) -> None:
    ask(program, "pin", refs=("gap.md",))
    refused = ask(program, "export-curation", file=str(tmp_path / "lines"))
    assert refused.refused
    assert not (tmp_path / "lines").exists()
    (line,) = ask(program, "export-curation").json["content"].splitlines()
    assert json.loads(line)["what"] == "pin"
    answers = [ask(program, "collections list"), ask(program, "collections let-go", name="notes")]
    assert not any(str(tmp_path) in json.dumps(answer.json) for answer in answers)


def test_what_a_program_puts_into_the_trash_or_lets_go_of_comes_back(program: Route) -> None:
    def titles(**which: Any) -> list[str]:
        return [one["title"] for one in ask(program, "documents list", **which).json["documents"]]

    assert ask(program, "trash", refs=("tea.md",)).json["done"] == "moved “Tea” to the trash"
    assert (titles(), titles(trashed=True)) == (["Spectral gaps"], ["Tea"])
    assert ask(program, "undo").json["done"] == "restored “Tea” from the trash"
    assert (titles(), titles(trashed=True)) == (["Spectral gaps", "Tea"], [])
    gone = ask(program, "collections let-go", name="notes", yes=True).json
    assert (gone["documents"], gone["done"], titles()) == (2, True, [])
