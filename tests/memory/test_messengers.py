"""Chats of messengers, attachments of Slack and branches of Claude come in whole (M16)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ark_tui.memory import importing
from ark_tui.memory.chats import assistants
from ark_tui.memory.chats.source import Chat, opened

PARTS = ["See ", {"type": "bold", "text": "this"}]
TELEGRAM = {
    "name": "Ann",
    "id": 7,
    "messages": [
        {"id": 1, "type": "service", "date_unixtime": "1750000000", "action": "create"},
        {"id": 2, "type": "message", "date_unixtime": "1750000001", "from": "Ann", "text": PARTS},
        {"id": 3, "type": "message", "date_unixtime": "1750000002", "from": "Bob", "file_name": "plan.pdf"},
    ],
}
SENT = {"chatId": "9", "dateSent": "1750000001000"}
SIGNAL = [
    {"recipient": {"id": "1", "self": {}}},
    {"recipient": {"id": "2", "contact": {"profileGivenName": "Ann", "profileFamilyName": "Lee"}}},
    {"chat": {"id": "9", "recipientId": "2"}},
    {"chatItem": {**SENT, "authorId": "2", "standardMessage": {"text": {"body": "See this"}}}},
    {"chatItem": {**SENT, "authorId": "1", "updateMessage": {}}},
]
SIGNAL_EXPORT = [{"date": "2025-06-15T10:00:00", "sender": "Ann Lee", "body": "See this", "attachments": []}]
DISCORD = {
    "guild": {"name": "Birds"},
    "channel": {"id": "5", "name": "talk"},
    "messages": [
        {"id": "1", "type": "GuildMemberJoin", "author": {"name": "x"}},
        {"id": "2", "type": "Default", "timestamp": "2025-06-15T10:00:00+00:00", "content": "See this",
         "author": {"name": "ann", "nickname": "Ann"}, "attachments": [{"fileName": "plan.pdf"}],
         "embeds": [{"title": "A card", "description": "of a link"}]},
    ],
}  # fmt: skip
OWN_DISCORD = [{"ID": 2, "Timestamp": "2025-06-15 10:00:00", "Contents": "See this", "Attachments": ""}]
SAID = ["Ann: See this", "Bob: [file: plan.pdf]"]
EXPORTS: dict[str, tuple[str, Any, str, list[str]]] = {
    "Telegram": ("result.json", TELEGRAM, "Ann", SAID),
    "Telegram, all chats": ("result.json", {"chats": {"list": [TELEGRAM]}}, "Ann", SAID),
    "Signal": ("main.jsonl", SIGNAL, "Ann Lee", ["Ann Lee: See this"]),
    "Signal, exported": ("Ann Lee/data.json", SIGNAL_EXPORT, "Ann Lee", ["Ann Lee: See this"]),
    "Discord": ("talk.json", DISCORD, "Birds #talk", ["Ann: See this\nA card\nof a link\n[file: plan.pdf]"]),
    "Discord, package": ("c5/messages.json", OWN_DISCORD, "c5", ["me: See this"]),
}  # fmt: skip


def written(folder: Path, name: str, found: Any) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = name.endswith(("jsonl", "data.json"))
    file.write_text("\n".join(map(json.dumps, found)) if lines else json.dumps(found), "utf-8")
    return folder


def spoken(chat: Chat) -> list[str]:
    return [f"{one.name}: {one.content}" for one in chat.messages]


@pytest.mark.parametrize("kind", EXPORTS)
def test_a_chat_of_a_messenger_comes_in_with_names_files_and_cards(kind: str, tmp_path: Path) -> None:
    name, found, title, wanted = EXPORTS[kind]
    with opened(written(tmp_path, name, found)) as source:
        format_ = importing.recognised(source)
        (chat,) = (one for one in importing.FORMATS[format_](source) if one.messages)

    assert format_ == kind.partition(",")[0]
    assert (chat.title, spoken(chat)) == (title, wanted)


def branched(*, leaf: str) -> dict[str, Any]:
    rows = [
        ("1", "", "Why?"),
        ("2a", "1", "Because."),
        ("2b", "1", "Because of this."),
        ("3", "2b", "Thanks."),
    ]
    messages = [
        {
            "uuid": id_,
            "parent_message_uuid": parent or "0",
            "sender": "human",
            "text": text,
            "created_at": f"{n}",
        }
        for n, (id_, parent, text) in enumerate(rows)
    ]
    about = {"current_leaf_message_uuid": leaf} if leaf else {}
    return {"uuid": "c", "name": "Talk", "chat_messages": messages, **about}


@pytest.mark.parametrize(
    ("leaf", "wanted"), [("", ["Why?", "Because of this.", "Thanks."]), ("2a", ["Why?", "Because."])]
)
def test_of_an_edited_answer_of_claude_the_branch_that_was_kept_comes_in(
    leaf: str, wanted: list[str], tmp_path: Path
) -> None:
    with opened(written(tmp_path, "conversations.json", [branched(leaf=leaf)])) as source:
        (chat,) = assistants.claude(source)

    assert [one.content for one in chat.messages] == wanted
    assert chat.left_out == 4 - len(wanted)
