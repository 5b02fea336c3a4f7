"""Curation by command line: what was done on stdout, everything as JSON, errors in a sentence."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from ark_tui.interfaces.cli.diagnostics import ExitCode
from tests.cli.conftest import Ark


@pytest.fixture
def home(home: Path, indexed: Path) -> Path:
    """A copy of the indexed notes."""
    shutil.copytree(indexed, home)
    return home


@pytest.mark.usefixtures("home")
def test_a_hit_is_tagged_and_untagged_again(ark: Ark) -> None:
    ark("search", "sourdough")
    assert ark("tag", "food, to read", "@1").out == "tagged “Bread” with food, to read\n"
    assert ark("search", 'tag:"to read"', "--json").json["hits"][0]["document"]["tags"] == ["food", "to read"]
    undone = ark("undo", "--json").json
    assert (undone["done"], undone["changed"]) == ("untagged “Bread”", True)
    assert undone["documents"][0]["tags"] == []
    assert ark("redo").out == "tagged “Bread” with food, to read\n"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("command", ["show @1", "explain @1 sourdough", "graph traverse @1", "doc tag x @1"])
def test_the_first_hit_of_the_last_search_is_a_name_wherever_a_document_is_named(
    ark: Ark, command: str
) -> None:
    ark("search", "sourdough")
    done = ark(*command.split(), "--json")
    assert (done.code, "Bread" in done.out or "bread.md" in done.out) == (0, True), done.err


@pytest.mark.usefixtures("home")
def test_a_note_is_words_dashes_and_all(ark: Ark) -> None:
    assert ark("note", "-", "buy", "-rice", "--tag", "todo").out == "added the note “- buy -rice”\n"
    ref = ark("search", "tag:todo", "--json").json["hits"][0]["document"]["short_id"]
    assert ark("note", "--replace", ref, "buy", "bread").out.startswith("changed the note")
    assert ark("show", ref).out == "buy bread\n"
    assert ark("note").code == 2


@pytest.mark.usefixtures("home")
def test_the_trash_is_purged_only_when_yes_is_said(ark: Ark) -> None:
    ark("trash", "bread")
    for words in ((), ("--dry-run", "--yes")):
        told = ark("purge", *words)
        assert "Bread" in told.out
        assert "--yes" in told.err
    kept = ark("backup").out.strip()
    purged = ark("purge", "--yes", "--json").json["trash"]
    assert (purged["purged"], len(purged["documents"]), purged["remains"]) == (True, 1, [kept])
    assert ark("doc", "--trashed", "--json").json["documents"] == []


@pytest.mark.usefixtures("home")
def test_curation_is_written_to_a_file_and_taken_up_again(ark: Ark, tmp_path: Path) -> None:
    ark("tag", "food", "bread")
    file = tmp_path / "curation.jsonl"
    assert ark("export-curation", file, "--json").json == {"written": str(file), "lines": 1}
    assert ark("export-curation", "-").out == file.read_text()
    ark("undo")
    taken = ark("import-curation", file, "--json").json
    assert (taken["applied"], taken["unmatched"]) == (1, [])
    assert ark("import-curation", file).out == "nothing to do: it is so already\n"
    file.write_text(file.read_text().replace("bread.md", "cake.md").replace('"hash": "', '"hash": "0'))
    assert "notes/cake.md" in ark("import-curation", file).out
    file.write_bytes(b"\xff")
    assert ark("import-curation", file).code == 2
    assert ark("import-curation", tmp_path / "none.jsonl").code == 1


@pytest.mark.usefixtures("home")
def test_a_collection_is_let_go_of_only_with_yes_and_what_is_said_then_brings_all_of_it_back(
    ark: Ark,
) -> None:
    (one,) = (one for one in ark("collections", "--json").json["collections"] if one["root"])
    ark("tag", "food", "bread")
    for options in ((), ("--dry-run",), ("--yes", "--dry-run")):
        asked = ark("collections", "remove", one["name"], *options)
        assert "--yes" in asked.err
        assert ark("status", "--json").json["documents"] == one["documents"]
    done = ark("collections", "remove", one["name"], "--yes", "--json").json
    assert (done["done"], done["documents"]) == (True, one["documents"])
    assert ark("status", "--json").json["documents"] == 0
    assert (Path(one["root"]) / "bread.md").exists()
    ark(*shlex.split(done["back"])[1:])
    assert ark("search", "tag:food sourdough", "--json").json["hits"]
    for name, code in (("nothing", ExitCode.FAILED), ("default", ExitCode.USAGE)):
        assert ark("collections", "remove", name, "--yes").code == code
