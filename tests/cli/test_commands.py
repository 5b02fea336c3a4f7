from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Ark


def test_show_prints_a_document_by_short_id_path_and_lines(ark: Ark, indexed: Path) -> None:
    found = ark("search", "mixing time", "--json", "--home", indexed).json["hits"][0]["document"]
    whole = ark("show", found["short_id"], "--home", indexed)
    assert whole.out.startswith("---\ntitle: Spectral gaps")
    assert whole.out == ark("show", "gap.md", "--home", indexed).out
    assert ark("show", "gap.md:7:1", "--home", indexed).out == "# Spectral gaps\n"
    assert "lines 7–7 of 9" in ark("show", "gap.md:7:1", "--home", indexed).err


def test_show_neutralises_what_a_terminal_would_act_on(ark: Ark, indexed: Path) -> None:
    shown = ark("show", "evil.md", "--home", indexed).out
    assert "␛]52;c;aGk=␇" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)


def test_status_says_what_is_there(ark: Ark, indexed: Path) -> None:
    assert "5 in " in ark("status", "--home", indexed).out
    assert "picture.png" in ark("status", "--files", "--home", indexed).out
    state = ark("status", "--json", "--home", indexed).json
    assert state.keys() >= {
        "documents",
        "chunks",
        "collections",
        "coverage",
        "followers",
        "embedding",
        "store",
    }
    assert state["coverage"].keys() == {"indexed", "waiting", "skipped", "failed"}
    assert {follower["name"] for follower in state["followers"]} == {"words", "vectors", "messages"}
    assert all(follower.keys() >= {"name", "behind"} for follower in state["followers"])
    assert state["embedding"].keys() >= {"provider", "model", "dims", "fingerprint"}
    assert state["store"].keys() == {"path", "schema", "bytes"}
    reasons = {row["path"]: row["reason"] for row in state["files"]}
    assert reasons["picture.png"]


def test_where_says_where_everything_lies(ark: Ark, home: Path) -> None:
    assert ark("where", "--json").json["store"] == str(home / "ark.duckdb")
    assert ark("where", "config").out == f"{home / 'config.toml'}\n"
    assert ark("where", "moon").code == 2


def test_doctor_says_what_is_wrong_with_the_config(ark: Ark, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("max_tokens = 'many'")
    found = ark("doctor")
    assert found.code == 1
    assert "config.toml:1: max_tokens must be" in found.out


def test_config_shows_every_value_and_where_it_came_from(
    ark: Ark, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text('theme = "nord"\n')
    monkeypatch.setenv("ARK_MAX_TOKENS", "300")
    shown = ark("config").out
    assert re.search(r"^theme +nord +config$", shown, re.MULTILINE)
    assert re.search(r"^max_tokens +300 +ARK_MAX_TOKENS$", shown, re.MULTILINE)
    settings = ark("config", "--json").json["settings"]
    assert settings["profile"] == {"value": "default", "origin": "default"}


def test_config_import_takes_a_json_config_over(ark: Ark, home: Path, tmp_path: Path) -> None:
    (tmp_path / "ralph.json").write_text(json.dumps({"roots": ["/notes"], "ignore": ["*.tmp"], "model": 1}))
    told = ark("config", "import", tmp_path / "ralph.json")
    assert told.code == 0
    assert "model" in told.err
    assert ark("config", "--json").json["settings"]["roots"]["value"] == [{"path": "/notes", "name": ""}]
    assert (home / "config.toml").exists()


def test_warnings_about_the_config_are_said_by_every_command(ark: Ark, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("blink = 5")
    assert "warning: " in ark("status").err
    assert "blink must be" in json.loads(ark("status", "--json").err)["warning"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(ark: Ark, shell: str) -> None:
    assert "_ARK_TUI_COMPLETE" in ark("completion", shell).out


@pytest.mark.parametrize(
    ("typed", "found"),
    [("search --exp", "--explain"), ("doc ta", "tag"), ("memory fact a", "add"), ("hi", "history")],
)
def test_commands_and_options_complete(
    ark: Ark, monkeypatch: pytest.MonkeyPatch, typed: str, found: str
) -> None:
    monkeypatch.setenv("_ARK_TUI_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    monkeypatch.setenv("COMP_WORDS", f"ark-tui {typed}")
    assert found in ark().out


def test_a_setting_is_set_and_unset_and_what_goes_before_it_is_said(
    ark: Ark, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ark("config", "set", "query_budget", "3")
    assert (told.code, told.out) == (0, f"query_budget  3.0{' ' * 34}config\n")
    assert "query_budget = 3.0" in (home / "config.toml").read_text()
    assert "has this value already" in ark("config", "set", "query_budget", "3").err
    monkeypatch.setenv("ARK_QUERY_BUDGET", "7")
    told = ark("config", "unset", "query_budget", "--json")
    assert told.json == {
        "name": "query_budget", "value": 7.0, "origin": "ARK_QUERY_BUDGET", "changed": True,
        "config": str(home / "config.toml"),
    }  # fmt: skip
    assert "ARK_QUERY_BUDGET sets query_budget and overrides the file" in told.err
    refused = ark("config", "set", "query_budget", "soon")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("error: query_budget must be a number from 0.01 to 600, not 'soon'.")
