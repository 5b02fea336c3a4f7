"""Results without a look of their own: entries with an id and a text, other facts below, sections."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Ark


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


@pytest.mark.usefixtures("home")
def test_the_first_line_of_an_entry_says_which_one_it_is(ark: Ark, notes: Path) -> None:
    ark("index", notes)
    ark("search", "sourdough")
    ark("history", "add", "user", "hello")
    ark("memory", "directive", "add", "MUST", "run the tests", "--scope", "src")
    event = ark("outcome", "record", "review", "--issue", "4", "--json").json["id"]
    assert ark("history", "conversations").out.splitlines()[0] == "default"
    assert ark("memory", "scopes").out.startswith("agent default · session default · conversations 1")
    assert ark("outcome", "query").out.splitlines()[0] == f"{event}  review"
    assert "kind MUST · scope src" in " ".join(ark("memory", "directive").out.split())
    first, *below = ark("history", "searches").out.splitlines()
    assert first.endswith("  sourdough")
    assert len(below) == 2, "no parameters"


@pytest.mark.usefixtures("home")
def test_the_link_graph_is_readable(ark: Ark, tmp_path: Path) -> None:
    folder = tmp_path / "linked"
    folder.mkdir()
    for name, links in {"a": "[[b]]", "b": "[[c]]", "c": "", "alone": ""}.items():
        (folder / f"{name}.md").write_text(f"# {name.upper()}\n\n{links}")
    ark("index", folder)
    path = ark("graph", "path", "a.md", "c.md").out.splitlines()[-1]
    assert [step.split()[-1] for step in path.split(" → ")] == ["A", "B", "C"]
    assert "No path between them" in ark("graph", "path", "a.md", "alone.md").err
    assert "No document is linked with both." in ark("graph", "common", "a.md", "alone.md").err
    assert "relation links_to" in ark("graph", "around", "a.md").out


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
