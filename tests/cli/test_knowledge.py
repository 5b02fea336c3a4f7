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


def test_items_are_added_listed_edited_and_retired(ark: Ark) -> None:
    kept = ark("facts-add", "-5", "degrees", "--tag", "a", "--tag", "b", "--json").json
    assert (kept["text"], kept["tags"], kept["layer"], kept["tier"]) == ("-5 degrees", ["a", "b"], 3, "doc")
    assert ark("facts-edit", kept["short_id"], "+5 degrees", "--json").json["id"] == kept["id"]
    assert [one["text"] for one in ark("facts-list", "--json").json["facts"]] == ["+5 degrees"]
    assert ark("facts-retire", kept["short_id"], "--reason", "summer", "--json").json["status"] == "retired"
    assert ark("facts-list", "--json").json["facts"] == []
    assert len(ark("facts-list", "--retired", "--json").json["facts"]) == 1


def test_patterns_and_directives_say_all_in_json(ark: Ark) -> None:
    pattern = ark("patterns-add", "it", "hangs", "--solution", "wait", "--json").json
    assert (pattern["problem"], pattern["solution"], pattern["confidence"]) == ("it hangs", "wait", 0.5)
    assert (pattern["successes"], pattern["failures"], pattern["success_rate"]) == (0, 0, None)
    rule = ark("directives-add", "avoid", "it", "--scope", "git", "--priority", "-2", "--json").json
    assert (rule["kind"], rule["scope"], rule["priority"], rule["layer"]) == ("AVOID", "git", -2, 9)
    edited = ark("directives-edit", rule["short_id"], "--scope", "global", "--json").json
    assert (edited["scope"], edited["text"]) == (None, "it")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("facts", ["the build takes five minutes"]),
        ("patterns", ["tests hang", "--solution", "give them a timeout"]),
        ("directives", ["MUST", "run the tests"]),
    ],
)
def test_what_was_retired_comes_back(ark: Ark, kind: str, words: list[str]) -> None:
    id_ = ark(f"{kind}-add", *words, "--json").json["id"]
    ark(f"{kind}-retire", id_)
    assert ark(f"{kind}-list", "--json").json[kind] == []
    told = ark("revive", id_, "--reason", "it holds again")
    assert told.code == 0
    assert [one["id"] for one in ark(f"{kind}-list", "--json").json[kind]] == [id_]
    assert ark("revive", id_, "--json").json["retired"] is False
    assert ark("revive", "abcdef").code == 1


def test_a_dash_reads_the_text_from_stdin(ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from\nelsewhere")))
    assert ark("facts-add", "-", "--json").json["text"] == "from\nelsewhere"


def test_the_agent_is_kept_with_what_it_adds(ark: Ark) -> None:
    ark("facts-add", "one", "--agent", "claude")
    ark("facts-add", "two")
    assert [one["agent"] for one in ark("facts-list", "--json").json["facts"]] == ["claude", "default"]
    shared = ark("facts-list", "--agent", "claude", "--json").json["facts"]
    assert [one["text"] for one in shared] == ["one", "two"], "what has no owner is shared"
    assert ark("facts-add", "three", "--agent", "ALL").code == 2


def test_events_are_recorded_and_queried_in_the_shapes_that_agents_know(ark: Ark) -> None:
    kept = ark("outcome", "record", "done", "--issue", "7", "--payload", '{"a": [1]}', "--json").json
    assert kept.keys() >= {"id", "eventType", "issueNumber", "timestamp"}
    (event,) = ark("outcome", "query", "--issue", "7", "--since", "yesterday", "--json").json["events"]
    assert (event["id"], event["payload"], event["sessionId"]) == (kept["id"], {"a": [1]}, "default")
    totals = ark("outcome", "query", "--aggregate", "--json").json
    assert totals["count"] == 1
    assert ark("outcome", "query", "--issue", "8").err == "No event matches.\n"


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
        (["think"], "There is nothing to think about."),
    ],
)
def test_a_mistake_is_one_sentence_and_what_to_do(ark: Ark, line: list[str], said: str) -> None:
    ark("tasks-add", "begin", "a", "home")
    told = ark(*line)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert told.err.count("\n") == 2


@pytest.mark.parametrize("line", [["outcome", "report", "zzz", "success"], ["facts-retire", "nowhere"]])
def test_what_is_not_there_is_one_sentence_too(ark: Ark, line: list[str]) -> None:
    ark("tasks-add", "begin", "a", "home")
    told = ark(*line)
    assert (told.code, told.out) == (1, "")
    assert told.err.count("\n") == 2
