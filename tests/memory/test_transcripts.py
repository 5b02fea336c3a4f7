"""Messages as programs have them: OpenAI's chat format and Anthropic's content blocks, in and out again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.domain.transcripts import moment, saying
from ark_tui.engine import Engine

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
