"""History by pages and as transcripts, and the commands of memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ark_tui.domain.errors import NotFound
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.domain.transcripts import moment, saying
from ark_tui.engine import Engine
from tests.cli.conftest import Ark, ark
from tests.support import SteadyClock

MINE, OTHER = Scope(), Scope("agent7", "s1")


def test_the_conversation_that_was_added_to_last_comes_first_whoevers_it_is(
    engine: Engine, clock: SteadyClock
) -> None:
    said = engine.memory.conversations
    for scope, name in ((MINE, "old"), (OTHER, "new"), (MINE, "empty")):
        said.create(scope, name)
        clock.pass_by(minutes=1)
    said.add(OTHER, "user", "Why is it slow?\nReally", conversation="new")
    clock.pass_by(minutes=1)
    said.add(MINE, "user", "Hello", conversation="old")
    page = engine.history.conversations()
    assert [row.conversation.id for row in page.rows] == ["old", "new", "empty"]
    assert [row.conversation.messages for row in page.rows] == [1, 1, 0]
    assert [row.beginning for row in page.rows] == ["user: Hello", "user: Why is it slow? Really", ""]
    assert (page.rows[0].latest - page.rows[1].latest).seconds == 60
    assert page.total == 3
    assert [row.conversation.id for row in engine.history.conversations(1, limit=1).rows] == ["new"]
    assert [row.conversation.id for row in engine.history.conversations(scope=OTHER).rows] == ["new"]


def test_messages_come_by_pages_and_around_one_of_them(engine: Engine) -> None:
    said = engine.memory.conversations
    said.extend(MINE, [Saying("user", f"message {i}") for i in range(1, 31)])
    (talk,) = engine.history.conversations().rows
    page = engine.history.messages(talk.conversation.number, 20, limit=5)
    assert [one.content for one in page.rows] == [f"message {i}" for i in range(21, 26)]
    assert (page.total, page.offset) == (30, 20)
    of, around = engine.history.around(page.rows[0].id, limit=4)
    assert of == talk.conversation
    assert [one.sequence for one in around.rows] == [19, 20, 21, 22]
    assert engine.history.around(engine.history.messages(of.number).rows[0].id, limit=4)[1].offset == 0
    with pytest.raises(NotFound):
        engine.history.around("feedfeedfeed")


def test_what_another_adds_while_one_searches_is_not_found(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = engine.memory.conversations
    said.add(MINE, "user", "a spectral gap")
    caught_up, looked = said._index.caught_up, [MINE]

    def late(behind: int) -> Any:
        if looked:
            looked.clear()
            said.add(OTHER, "user", "the gap again")
            said.search(OTHER, "gap")
        return caught_up(behind)

    monkeypatch.setattr(said._index, "caught_up", late)
    assert [one.content for one in said.search(MINE, "gap").messages] == ["a spectral gap"]


def test_searches_come_the_newest_first_without_their_answers_and_by_words_or_id(
    engine: Engine, clock: SteadyClock
) -> None:
    engine.memory.facts.add("The spectral gap bounds the mixing time.")
    for query in ("spectral gap", "mixing"):
        engine.search(Request(query))
        clock.pass_by(minutes=1)
    last = engine.search(Request("the GAP"))
    page = engine.history.searches()
    assert [row.query for row in page.rows] == ["the GAP", "mixing", "spectral gap"]
    assert page.total == 3
    assert not any(row.answers for row in page.rows)
    assert page.rows[0].request.agent == "default"
    assert [row.query for row in engine.history.searches(1, limit=1).rows] == ["mixing"]
    narrowed = engine.history.searches(words="gap")
    assert ([row.query for row in narrowed.rows], narrowed.total) == (["the GAP", "spectral gap"], 2)
    named = engine.history.searches(words=last.retrieval_id[:6])
    assert [row.id for row in named.rows] == [last.retrieval_id]
    assert engine.history.search(last.retrieval_id).answers


__all__ = ["ark"]


def test_a_lone_dash_reads_stdin(ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    for words in (("scratch-set", "n", "-"), ("tasks-add", "-"), ("history-add", "user", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe")))
        assert ark(*words).code == 0
    assert ark("scratch-get", "n").out == "from a pipe\n"
    assert ark("tasks-list", "--json").json["tasks"][0]["text"] == "from a pipe"
    assert ark("history-list", "--json").json["messages"][0]["content"] == "from a pipe"


def test_the_scope_comes_from_the_environment_and_options_come_before_it(
    ark: Ark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARK_AGENT_ID", "ann")
    monkeypatch.setenv("ARK_SESSION_ID", "one")
    ark("scratch-set", "n", "hers")
    ark("scratch-set", "n", "his", "--agent", "ben")
    assert ark("scratch-get", "n").out == "hers\n"
    assert ark("scratch-get", "n", "--agent", "ben").out == "his\n"
    found = ark("scratch-list", "--agent", "ALL", "--session", "ALL", "--json").json["entries"]
    assert [(one["agent"], one["session"], one["value"]) for one in found] == [
        ("ann", "one", "hers"),
        ("ben", "one", "his"),
    ]
    scopes = ark("scopes", "--json").json["scopes"]
    assert [(one["agent"], one["scratch"]) for one in scopes] == [("ann", 1), ("ben", 1)]


def test_what_cannot_be_taken_back_wants_a_yes(ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARK_NOW", "2026-01-01")
    ark("history-add", "user", "hello")
    refused = ark("conversations-delete", "default")
    assert (refused.code, "1 message" in refused.err) == (2, True)
    monkeypatch.setenv("ARK_NOW", "2026-01-03")
    for words in (("purge",), ("purge", "--dry-run", "--yes")):
        assert ark(*words, "--json").json["purged"] is False
    assert ark("history-list", "--json").json["total"] == 1
    purged = ark("purge", "--yes", "--json").json
    assert purged.pop("trash")["documents"] == []
    assert purged == {"messages": 1, "memories": [], "notes": 0, "vectors": 0, "bytes": 5, "purged": True}
    assert ark("history-list", "--json").json["total"] == 0


HERE = Scope("ann", "one")
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"for": "otters"}'}}
OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [
        {"type": "text", "text": "What is on it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9000}}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "refusal": None},
    {"role": "tool", "tool_call_id": "c1", "name": "look", "content": ""},
    {"role": "assistant", "content": "Otters.", "metadata": {"model": "m"}},
]  # fmt: skip
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "List the files."}]},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "I could list them.", "signature": "x" * 4000},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a.txt"}]}]},
]  # fmt: skip


def test_openai_messages_are_taken_as_they_are() -> None:
    rules, asked, called, result, answered = [saying(one) for one in OPENAI]
    assert (rules.role, rules.content, rules.given) == ("developer", "Be brief.", None)
    assert asked.content == "What is on it?\n[image_url]"
    assert asked.given
    assert asked.given["content"][1]["image_url"] == {"url": "[9,022 characters]"}
    assert called.content == '[look] {"for": "otters"}'
    assert called.given == {"content": None, "tool_calls": [CALL]}
    assert (result.role, result.content, result.tool_call_id, result.name) == ("tool", "", "c1", "look")
    assert answered.given == {"metadata": {"model": "m"}}


def test_anthropic_messages_are_taken_as_they_are() -> None:
    asked, called, result = [saying(one) for one in ANTHROPIC]
    assert asked.content == "List the files."
    assert called.content == '[thinking]\nI look.\n[bash] {"command": "ls"}'
    assert (result.role, result.content, result.tool_call_id) == ("tool", "a.txt", "t1")
    assert result.given
    assert result.given["role"] == "user"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("2026-03-01T13:00:00+01:00", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (1772366400, datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("1772366400.0", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (1772366400000, datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (None, None),
    ],
)
def test_times_are_read_as_programs_write_them(given: object, wanted: datetime | None) -> None:
    assert moment(given) == wanted


def test_original_times_order_the_list_and_count_in_searches(engine: Engine) -> None:
    old = datetime(2024, 5, 1, 9, tzinfo=UTC)
    talks = engine.memory.conversations
    talks.extend(HERE, [Saying("user", "otters today")])
    talks.create(HERE, "zoo")
    talks.extend(HERE, [Saying("user", "otters then", name="Ben", timestamp=old)], conversation="zoo")
    found = talks.messages(HERE).messages
    assert [one.content for one in found] == ["otters then", "otters today"]
    assert (found[0].timestamp, found[0].name) == (old, "Ben")
    assert [one.content for one in talks.search(HERE, "otters before:2025").messages] == ["otters then"]
    assert engine.search(Request("then layer:1")).hits  # for it is new here
