"""Which commands begin a home, and who may read what they write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ark


@pytest.mark.parametrize(
    "name", ["search", "status", "doctor", "tasks-list", "show", "saved", "backup", "undo"]
)
def test_a_reading_command_makes_no_home_where_the_name_is_mistyped(
    ark: Ark, tmp_path: Path, name: str
) -> None:
    words = {"search": ["gap"], "show": ["gap.md"]}.get(name, [])
    result = ark("--home", tmp_path / "mistyped", name, *words)
    assert result.code == 3
    assert "There is no home of ark-tui at" in result.err + result.out
    assert "ark-tui index FOLDER" in result.err + result.out
    assert not (tmp_path / "mistyped").exists()


def test_a_folder_that_is_no_home_is_not_made_one_by_reading(ark: Ark, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    assert ark("--home", tmp_path, "search", "gap").code == 3
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_new_home_with_one_message_is_sound(ark: Ark) -> None:
    assert ark("history-add", "user", "hello").code == 0
    result = ark("doctor")
    assert (result.code, result.err) == (0, "")
    assert "index messages: is updated by the next search" in result.out


def test_whatever_is_written_is_for_its_owner_alone_even_under_umask_0(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(0o755)
    (tmp_path / "a.md").write_text("a note")

    def ark(*words: str) -> None:
        command = [sys.executable, "-m", "ark_tui", "--home", str(home), *words]
        subprocess.run(command, check=True, capture_output=True, umask=0)

    ark("ingest-file", str(tmp_path / "a.md"))
    ark("backup", str(tmp_path / "copy.zip"))
    ark("--export", str(tmp_path / "report.md"))
    for path in (home, *home.rglob("*"), tmp_path / "copy.zip", tmp_path / "report.md"):
        assert not path.stat().st_mode & 0o077, path


def test_doctor_names_what_others_may_use_and_takes_it_away(ark: Ark, home: Path) -> None:
    ark("note", "a thought")
    (home / "ark.duckdb").chmod(0o644)
    wrong = ark("doctor")
    assert wrong.code == 1
    assert "ark.duckdb" in wrong.out
    assert ark("doctor", "--repair").code == 0
    assert (home / "ark.duckdb").stat().st_mode & 0o777 == 0o600
