"""What programs may do with the corpus and the home, and what they are not told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from tests.operations.interfaces import CATALOG, Route, Told


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Route]:
    """A program at a home that follows the folder `notes`."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\nGreen tea is steeped at eighty degrees.\n")
    with Engine(settings.load(tmp_path / "home")) as engine:
        engine.index([tmp_path / "notes"])
    found = Route(tmp_path / "home")
    yield found
    found.close()


def asked(program: Route, name: str, **given: object) -> Told:
    return program.ask(CATALOG.get(name), given)


def test_a_file_of_a_followed_folder_is_taken_in_again_and_no_other(program: Route, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nNobody has named this.\n")
    tea = tmp_path / "notes" / "tea.md"
    tea.write_text("# Tea\n\nBlack tea is steeped at ninety-five degrees.\n")
    assert asked(program, "ingest-file", path=tea).json["changed"] == 1
    assert asked(program, "ingest-file", path=Path("tea.md"), tags=("drink",)).json["unchanged"] == 1
    for path in (tmp_path / "secret.md", Path("../secret.md")):
        refused = asked(program, "ingest-file", path=path)
        assert refused.refused
        assert "is not in a folder of this home" in refused.json["error"]


def test_what_has_changed_in_followed_folders_is_indexed_and_no_folder_is_followed_anew(
    program: Route, tmp_path: Path
) -> None:
    (tmp_path / "notes" / "rye.md").write_text("# Rye\n\nA sourdough rests for a night.\n")
    assert asked(program, "index").json["added"] == 1
    refused = asked(program, "index", roots=(tmp_path,))
    assert refused.refused
    assert refused.json["error"] == "Only a person can add a folder."


@pytest.mark.parametrize("name", ["status", "doctor", "backup"])
def test_no_place_of_this_machine_is_told(program: Route, tmp_path: Path, name: str) -> None:
    told = asked(program, name)
    assert not told.refused
    assert str(tmp_path) not in json.dumps(told.json)


def test_a_backup_lies_in_the_home_and_nowhere_else(program: Route, tmp_path: Path) -> None:
    name = asked(program, "backup").json["backup"]
    assert (tmp_path / "home" / "backups" / name).exists()
    refused = asked(program, "backup", to=tmp_path / "elsewhere.zip")
    assert refused.refused
    assert not (tmp_path / "elsewhere.zip").exists()


def test_only_a_person_has_a_home_repaired(program: Route) -> None:
    assert asked(program, "doctor", repair=True).json["error"] == "Only a person can repair a home."
