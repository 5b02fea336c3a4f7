"""The commands of what is known and learned: data on stdout, the same in JSON, one sentence for a mistake."""

from __future__ import annotations

import io
import sys

import pytest

from tests.cli.conftest import Ark

HARMFUL = "evil \x1b]52;c;aGk=\x07 [/] \x1b[2J \u202eesrever \x9b31m"


@pytest.mark.parametrize(
    "added",
    [
        ["facts-add", HARMFUL],
        ["patterns-add", HARMFUL, "--solution", HARMFUL],
        ["directives-add", "MUST", HARMFUL],
        ["remember", HARMFUL, "--source", "a page", "--tag", "evil\x1b[2J"],
    ],
)
def test_what_is_kept_never_acts_on_the_terminal(ark: Ark, added: list[str]) -> None:
    for line in (
        added,
        ["facts-list"],
        ["patterns-list"],
        ["directives-list"],
        ["context", HARMFUL, "--explain"],
        ["context", HARMFUL, "--json"],
        ["recall", "evil", "--role", "researcher", "--plain"],
        ["think", "evil"],
    ):
        told = ark(*line)
        assert told.code == 0, told.err
        for text in (told.out, told.err):
            assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)


def test_a_dash_reads_the_text_from_stdin(ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from\nelsewhere")))
    assert ark("facts-add", "-", "--json").json["text"] == "from\nelsewhere"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["facts-add"], "There is no text for a fact."),
        (["directives-add", "SHOULD", "x"], "'SHOULD' is not one of 'MUST', 'NEVER', 'PREFER', 'AVOID'."),
        (["patterns-edit", "x"], "There is nothing to change."),
        (["remember", "x"], "Missing option '--source'."),
        (["remember", "x", "--source", "y", "--tier", "wiki"], "'wiki' is not one of 'raw', 'doc'."),
        (["recall", "x", "--role", "king"], "There is no role king."),
        (["context", "x", "--budget", "1"], "1 is not in the range 150<=x<=100000."),
        (["expert", " "], "An expert needs a domain."),
        (["outcome"], "Missing command."),
        (["outcome", "record", "x", "--payload", "nonsense"], "The payload is not JSON"),
        (["outcome", "record", "x", "--payload", "[1]"], "The payload is no JSON object."),
        (["outcome", "record", "x", "--estimate", "XXL"], "'XXL' is not one of 'XS', 'S', 'M', 'L', 'XL'."),
        (["outcome", "query", "--since", "whenever"], "whenever names no time."),
        (["outcome", "query", "-n", "-1"], "Invalid value for '-n' / '--limit'"),
        (["memory-stats", "--since", "never"], "never names no time."),
        (["think"], "There is no question."),
    ],
)
def test_a_mistake_is_one_sentence_and_what_to_do(ark: Ark, line: list[str], said: str) -> None:
    ark("tasks-add", "begin", "a", "home")
    told = ark(*line)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert told.err.count("\n") == 2
