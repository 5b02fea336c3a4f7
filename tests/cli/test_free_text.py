"""Declared options are options, an unknown --long is an error, every other token is a word."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.interfaces.cli.app import cli

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
