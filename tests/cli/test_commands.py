"""The command line: what is written where, in which layout, and that it answers as operations do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.interfaces.cli.app import cli
from ark_tui.interfaces.cli.output import column, fit, flow, short_path, widest
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
        "documents", "chunks", "collections", "coverage", "followers", "embedding", "store",
    }  # fmt: skip
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


TEXT = st.text(alphabet="ab \n検é\u0301\x1b\t", max_size=120)


@given(TEXT, st.integers(2, 40))
def test_a_fitted_text_has_exactly_its_width(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


@given(st.lists(TEXT, min_size=1), st.integers(0, 20))
def test_two_blanks_stand_behind_the_longest_text_of_a_column_and_all_end_alike(
    texts: list[str], least: int
) -> None:
    width = widest(texts, least)
    shown = [column(text, width) for text in texts]
    assert all(one.endswith("  ") for one in shown)
    assert {cell_len(one) for one in shown} == {width}


def test_what_is_longer_than_its_column_does_not_run_into_the_next() -> None:
    assert column("ollama all-minilm", 12) == "ollama all-minilm  "
    assert column("検索", 6) == "検索  "


@given(TEXT, st.integers(4, 40), st.integers(1, 4))
def test_flowing_text_stays_within_its_lines_and_columns(text: str, width: int, lines: int) -> None:
    rows = ["".join(ink.text for ink in row) for row in flow(text, [], width, lines)]
    assert len(rows) <= lines
    assert all(cell_len(row) <= width for row in rows)


@given(TEXT)
def test_flowing_text_loses_nothing_but_blank_space(text: str) -> None:
    rows = ["".join(ink.text for ink in row) for row in flow(text, [], 10, 1000)]
    assert "".join("".join(rows).split()) == "".join(text.split())


def test_matches_are_marked_and_what_is_cut_is_said() -> None:
    (row,) = flow("one two three four five", [(4, 7)], 15, 1)
    assert "".join(ink.text for ink in row) == "one two three …"
    assert [ink.text for ink in row if ink.style] == ["two"]


@pytest.mark.parametrize(
    ("path", "width", "shown"),
    [("a/b.md", 10, "a/b.md"), ("folder/deep/file.md", 8, "…file.md"), ("検索/検索.md", 8, "…検索.md")],
)
def test_a_long_path_keeps_its_end(path: str, width: int, shown: str) -> None:
    assert short_path(path, width) == shown


def test_an_entry_is_its_id_and_text_with_its_other_facts_below(ark: Ark) -> None:
    ark("tasks", "add", "buy", "rye", "--due", "2026-12-01", "--tag", "home", "--tag", "shop")
    first, *below = ark("tasks", "list").out.splitlines()
    assert first == "1  buy rye"
    facts = " ".join(line.strip() for line in below)
    assert "state open · due 2026-12-01 · tags home, shop" in facts
    assert "default" not in facts, "whose it is stands there only where it is somebody else's"


def test_long_texts_fill_lines_of_80_cells(ark: Ark) -> None:
    ark("history", "add", "user", "word " * 60)
    lines = ark("history", "list").out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert sum("word" in line for line in lines) > 3


def test_a_list_without_entries_says_what_to_do_on_stderr(ark: Ark) -> None:
    ark("tasks", "add", "x")
    told = ark("scratch", "list")
    assert told.out == ""
    assert told.err == "No scratch notes in default/default: ark-tui scratch set KEY VALUE\n"


def test_a_page_says_how_to_go_on(ark: Ark) -> None:
    for text in "abc":
        ark("tasks", "add", text)
    assert "3 in all; continue with --offset 2" in ark("tasks", "list", "-n", "2").err


def test_what_a_script_takes_is_printed_alone(ark: Ark) -> None:
    ark("scratch", "set", "key", "a value\nof two lines")
    assert ark("scratch", "get", "key").out == "a value\nof two lines\n"
    assert len(ark("token", "add", "bob").out.split()) == 1


@pytest.mark.usefixtures("home")
def test_lists_within_a_result_are_sections(ark: Ark, notes: Path) -> None:
    ark("index", notes)
    out = ark("analyze", "--what", "communities").out
    assert "communities\n" in out
    assert "modularity" in out


def test_titles_that_repeat_in_a_list_carry_what_sets_them_apart(ark: Ark, tmp_path: Path) -> None:
    for folder, text in {"tea": "Boil water at noon.", "rye": "A dough wants water, salt, a night."}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "plan.md").write_text(f"# Plan\n\n{text}")
    ark("index", tmp_path / "tea", tmp_path / "rye")
    for words in (("doc", "list"), ("search", "water", "--below")):
        shown = ark(*words).out
        assert "Plan · tea/plan.md" in shown, words
        assert "Plan · rye/plan.md" in shown, words
    assert {one["title"] for one in ark("doc", "list", "--json").json["documents"]} == {"Plan"}


INGEST = cli.get_command(click.Context(cli), "ingest")
SEARCH = cli.get_command(click.Context(cli), "search")
assert SEARCH is not None


def read(*tokens: str, command: click.Command = SEARCH) -> dict[str, Any]:
    return command.make_context("x", list(tokens)).params


@pytest.mark.parametrize(
    ("tokens", "query", "limit"),
    [
        (("notes", "-banana", "-n", "3"), "notes -banana", 3),
        (("-n", "3", "notes", "-banana"), "notes -banana", 3),
        (("-draft notes",), "-draft notes", None),
        (("-notes",), "-notes", None),
        (("-n3",), "-n3", None),
        (("-", "--", "--json"), "- --json", None),
        (("a", "--limit=3", '"exact phrase"'), 'a "exact phrase"', 3),
        (("tag:x", "(a", "OR", "b)"), "tag:x (a OR b)", None),
        (("--not an option",), "--not an option", None),
        (("-5", "--5", "---"), "-5 --5 ---", None),
    ],
)
def test_words_and_options_are_told_apart(tokens: tuple[str, ...], query: str, limit: int | None) -> None:
    params = read(*tokens)
    assert (params["query"], params["limit"]) == (query, limit)


@pytest.mark.parametrize(
    ("wrong", "meant"), [("--jsno", "--json"), ("--explian", "--explain"), ("--mod=x", "--mode")]
)
def test_an_unknown_long_option_is_an_error_with_the_one_that_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(click.NoSuchOption) as caught:
        read("x", wrong)
    assert meant in (caught.value.possibilities or [])


def test_an_option_at_the_end_that_wants_a_value_is_an_error() -> None:
    with pytest.raises(click.BadOptionUsage):
        read("x", "-n")


def test_a_value_may_begin_with_a_dash() -> None:
    assert INGEST is not None
    params = read("- item", "--title", "-5", "--tag", "-x", command=INGEST)
    assert (params["text"], params["title"], params["tags"]) == ("- item", "-5", ("-x",))


@given(st.lists(st.text(alphabet='abn-" 1', min_size=1, max_size=6)))
def test_whatever_is_no_option_reaches_the_query_unchanged(tokens: list[str]) -> None:
    words = [token for token in tokens if token != "-n" and not token.startswith("--")]
    assert read(*words, "--json")["query"] == " ".join(words)
