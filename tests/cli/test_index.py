from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.cli.conftest import Ark, running


def test_a_folder_is_indexed_and_what_was_left_out_is_listed(ark: Ark, notes: Path) -> None:
    first = ark("index", notes)
    assert first.code == 0
    assert first.out.startswith("5 added, 0 changed, 0 renamed, 0 removed, 0 unchanged, ")
    assert "picture.png" in first.out


def test_the_json_has_the_promised_names(ark: Ark, notes: Path) -> None:
    report = ark("index", notes, "--json").json
    assert report.keys() >= {
        *("added", "changed", "renamed", "removed", "unchanged", "skipped", "failed"),
        *("duplicates", "embedded", "took_s", "problems"),
    }
    assert all(problem.keys() >= {"path", "reason"} for problem in report["problems"])
    assert all(type(report[name]) is int for name in ("added", "changed", "unchanged", "skipped", "failed"))


def test_the_stream_ends_with_the_report(ark: Ark, notes: Path) -> None:
    events = [json.loads(line) for line in ark("index", notes, "--jsonl").out.splitlines()]
    assert [event["event"] for event in events][-1] == "report"
    assert {event["event"] for event in events[:-1]} <= {"progress"}
    assert events[-1]["added"] == 5
    assert all(event.keys() == {"event", "stage", "done", "total", "note"} for event in events[:-1])


def test_without_roots_the_source_that_won_is_said(
    ark: Ark, notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'roots = [{{ path = "{notes}", name = "mine" }}]')
    told = ark("index")
    assert "Using roots from: config" in told.err
    assert ark("status", "--json").json["collections"][-1]["name"] == "mine"
    monkeypatch.setenv("ARK_DIRS", str(notes))
    assert "Using roots from: ARK_DIRS" in ark("index").err


def test_nothing_to_index_is_a_usage_error(ark: Ark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = ark("index")
    assert told.code == 2
    assert "nothing to index" in told.err


def test_a_collection_that_follows_a_folder_is_brought_up_to_date_by_its_name(
    ark: Ark, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ark("index", notes, "--collection", "few", "--tag", "study")
    (notes / "new.md").write_text("# New")
    assert ark("index", "--collection", "few").out.startswith("1 added, 0 changed")
    (notes / "newer.md").write_text("# Newer")
    assert ark("index").out.startswith("1 added, 0 changed")
    assert "study" in ark("tags").out
    assert "nothing to index" in ark("index", "--collection", "many").err


def test_ctrl_c_stops_with_130_and_the_next_run_goes_on(ark: Ark, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1500):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + f"word{number} and more text. " * 60)
    with running("index", folder, "--jsonl") as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if event["stage"] == "read" and event["done"] > 0:
                break
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert process.returncode == 130
    assert json.loads(told)["error"] == "Stopped."
    rest = ark("index", folder, "--json").json
    assert rest["added"] + rest["unchanged"] == 1500
    assert ark("status", "--json").json["documents"] == 1500


def test_watching_takes_up_a_saved_file(tmp_path: Path) -> None:
    folder = tmp_path / "watched"
    folder.mkdir()
    (folder / "a.md").write_text("# One")
    with running("index", folder, "--watch", "--jsonl") as process:
        assert process.stdout is not None
        reports = (event for line in process.stdout if (event := json.loads(line))["event"] == "report")
        assert next(reports)["added"] == 1
        (folder / "b.md").write_text("# Two")
        assert next(reports)["added"] == 1
        (folder / "a.md").unlink()
        assert next(reports)["removed"] == 1
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130


def test_watching_cannot_give_one_document_of_json(ark: Ark, notes: Path) -> None:
    assert ark("index", notes, "--watch", "--json").code == 2


def test_names_of_files_act_on_no_terminal_and_make_no_lines_of_their_own(ark: Ark, tmp_path: Path) -> None:
    name = "a\nerror: \x1b[31mall is lost\u202e.md"
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / name).write_bytes("Straße und noch viel mehr Text".encode("latin-1"))
    (folder / f"b{name}").touch()
    (folder / f"link{name}").symlink_to("/")
    shown = "error: ␛[31mall is lost↔.md"
    told = [
        ark("index", folder),
        ark("status", "--files"),
        ark("index", tmp_path / name),
        ark("index", tmp_path / name, folder),
        ark("ingest-file", tmp_path / name),
        ark("ingest-file", folder / f"link{name}" / "etc"),
    ]
    for one in told:
        said = one.out + one.err
        assert shown in said
        assert not {"\x1b", "\u202e"} & set(said)
        assert not [line for line in said.splitlines() if line.startswith(shown)]
