"""Exports of other programs in their true shapes, made small: what a program writes, with our words in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zipfile import ZipFile


def chatgpt(folder: Path, more: bool = False) -> Path:
    """An archive with a conversation of two branches, an image, a hidden message and a tool."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["s"]}}

    def node(id_: str, parent: str, role: str, content: Any, when: float | None, **about: Any) -> None:
        author = {"role": role, "name": about.pop("name", None), "metadata": {}}
        nodes[id_] = {
            "id": id_,
            "parent": parent,
            "children": [],
            "message": {
                "id": id_,
                "author": author,
                "create_time": when,
                "update_time": None,
                "content": content,
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 1.0,
                "metadata": about,
                "recipient": "all",
            },
        }
        nodes[parent]["children"].append(id_)

    def text(*parts: Any) -> dict[str, Any]:
        return {"content_type": "text", "parts": [*parts]}

    node("s", "root", "system", text(""), None, is_visually_hidden_from_conversation=True)
    node(
        "u",
        "s",
        "user",
        {
            "content_type": "multimodal_text",
            "parts": [
                {
                    "content_type": "image_asset_pointer",
                    "asset_pointer": "file-service://f1",
                    "size_bytes": 9,
                },
                "Which bird?",
            ],
        },
        1714554000.5,
    )
    node("a1", "u", "assistant", text("A crow."), 1714554010.0, model_slug="gpt-4o")
    node("a2", "u", "assistant", text("A raven."), 1714554020.0, model_slug="gpt-4o")
    node("t", "a2", "tool", {"content_type": "execution_output", "text": "42"}, 1714554030.0, name="python")
    node("th", "t", "assistant", {"content_type": "thoughts", "thoughts": [{"summary": "s"}]}, 1714554031.0)
    node("a3", "th", "assistant", text("It weighs 1.2 kg."), 1714554040.0, model_slug="gpt-4o")
    last = "a3"
    if more:
        node("u2", "a3", "user", text("Thanks!"), 1714554100.0)
        last = "u2"
    talk = {
        "title": "Ravens",
        "create_time": 1714554000.0,
        "update_time": 1714554100.0,
        "mapping": nodes,
        "current_node": last,
        "conversation_id": "c-1",
        "id": "c-1",
        "moderation_results": [],
    }
    return _zip(
        folder / "chatgpt.zip",
        {"conversations.json": json.dumps([talk]), "user.json": "{}", "chat.html": "<html>"},
    )


def claude(folder: Path) -> Path:
    """A JSON of two conversations, one of them empty, with a tool, an attachment and thinking."""
    said = [
        {
            "uuid": "m1",
            "sender": "human",
            "text": "Read it.",
            "created_at": "2025-03-01T10:00:00.000000Z",
            "content": [{"type": "text", "text": "Read it.", "citations": []}],
            "files": [{"file_name": "p.png"}],
            "attachments": [
                {"file_name": "notes.txt", "file_type": "txt", "extracted_content": "Owls hunt."}
            ],
        },
        {
            "uuid": "m2",
            "sender": "assistant",
            "text": "",
            "created_at": "2025-03-01T10:00:09.000000Z",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "They hunt by ear."},
                {"type": "tool_use", "name": "search", "input": {"q": "owls"}},
                {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "3 hits"}]},
            ],
            "attachments": [],
            "files": [],
        },
    ]
    talks = [
        {"uuid": "k-1", "name": "Owls", "created_at": "2025-03-01T10:00:00Z", "chat_messages": said},
        {"uuid": "k-2", "name": "", "created_at": "2025-03-02T10:00:00Z", "chat_messages": []},
    ]
    path = folder / "conversations.json"
    path.write_text(json.dumps(talks))
    return path


def claude_code(folder: Path) -> Path:
    """A folder of projects with a session, a part of it by an agent aside, and a line that is cut off."""
    common = {
        "sessionId": "s-1",
        "cwd": "/srv/zoo",
        "version": "2.1.0",
        "gitBranch": "main",
        "userType": "external",
    }

    def line(kind: str, uuid: str, content: Any, second: int, **about: Any) -> dict[str, Any]:
        return {
            "parentUuid": None,
            "isSidechain": False,
            **common,
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2025-06-01T08:00:{second:02}.000Z",
            "message": {"role": kind, "content": content},
            **about,
        }

    lines: list[dict[str, Any]] = [
        {"type": "summary", "summary": "Feeding plan", "leafUuid": "l3"},
        {"type": "file-history-snapshot", "messageId": "l1", "snapshot": {}},
        line("user", "l0", "<caveat>", 0, isMeta=True),
        line("user", "l1", "Plan the feeding.", 1),
        line(
            "assistant",
            "l2",
            [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
            2,
        ),
        line(
            "user",
            "l3",
            [{"type": "tool_result", "tool_use_id": "t1", "content": "plan.md", "is_error": False}],
            3,
            toolUseResult={"stdout": "plan.md"},
        ),
        line("user", "x1", "Count the otters.", 4, isSidechain=True, agentId="a9"),
        line("assistant", "l4", [{"type": "text", "text": "The plan is there."}], 5),
    ]
    place = folder / "projects" / "-work-zoo"
    place.mkdir(parents=True)
    (place / "s-1.jsonl").write_text("\n".join(map(json.dumps, lines)) + '\n{"type": "us')
    return folder / "projects"


def codex(folder: Path) -> Path:
    """A rollout with the context that Codex puts before what the user says, a call and its output."""
    items: list[tuple[str, dict[str, Any]]] = [
        (
            "session_meta",
            {"id": "r-1", "timestamp": "2025-10-01T08:00:00Z", "cwd": "/srv/zoo", "cli_version": "0.65.0"},
        ),
        (
            "response_item",
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "<environment_context>\n<cwd>/srv/zoo</cwd>"}],
            },
        ),
        (
            "response_item",
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run it."}]},
        ),
        ("event_msg", {"type": "user_message", "message": "Run it."}),
        ("turn_context", {"model": "gpt-5-codex"}),
        ("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "xx"}),
        (
            "response_item",
            {"type": "function_call", "name": "shell", "call_id": "c9", "arguments": '{"command":["ls"]}'},
        ),
        ("response_item", {"type": "function_call_output", "call_id": "c9", "output": "plan.md"}),
        (
            "response_item",
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
        ),
    ]
    path = folder / "rollout-2025-10-01T08-00-00-r-1.jsonl"
    path.write_text(
        "".join(
            json.dumps({"timestamp": f"2025-10-01T08:00:{n:02}.000Z", "type": kind, "payload": payload})
            + "\n"
            for n, (kind, payload) in enumerate(items)
        )
    )
    return path


def slack(folder: Path) -> Path:
    """An archive of a channel of two days with a thread, a bot, marks, a file and somebody who joins."""
    users = [
        {
            "id": "U1",
            "name": "ann",
            "real_name": "Ann Lee",
            "profile": {"display_name": "ann", "real_name": "Ann Lee"},
        },
        {
            "id": "U2",
            "name": "ben",
            "real_name": "Ben Roe",
            "profile": {"display_name": "", "real_name": "Ben Roe"},
        },
    ]
    first = [
        {
            "type": "message",
            "subtype": "channel_join",
            "user": "U1",
            "ts": "1714550000.000100",
            "text": "<@U1> joined",
        },
        {
            "type": "message",
            "user": "U1",
            "ts": "1714554000.000200",
            "thread_ts": "1714554000.000200",
            "reply_count": 1,
            "text": "<@U2> see <https://zoo.example|the plan> &amp; <#C2|feeding> &lt;soon&gt;",
        },
        {
            "type": "message",
            "user": "U1",
            "ts": "1714554900.000300",
            "text": "Photo",
            "files": [{"title": "otter.png"}],
        },
    ]
    second = [
        {
            "type": "message",
            "user": "U2",
            "ts": "1714640400.000100",
            "thread_ts": "1714554000.000200",
            "text": "Seen.",
        },
        {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B1",
            "username": "ci",
            "ts": "1714640500.000100",
            "text": "Build 7 passed",
        },
    ]
    return _zip(
        folder / "slack.zip",
        {
            "channels.json": json.dumps([{"id": "C1", "name": "zoo", "members": ["U1", "U2"]}]),
            "users.json": json.dumps(users),
            "zoo/2024-05-01.json": json.dumps(first),
            "zoo/2024-05-02.json": json.dumps(second),
        },
    )


def whatsapp(folder: Path, lines: str = "") -> Path:
    """A text as Android writes it, with a message of two lines, one that is written twice, and a notice."""
    path = folder / "WhatsApp Chat with Zoo (2).txt"
    path.write_text(
        lines
        or (
            "01/05/2024, 09:00 - Messages and calls are end-to-end encrypted.\n"
            "01/05/2024, 09:01 - Ann: Otters at nine\nand at five\n"
            "13/05/2024, 09:02 - Ben: ok\n13/05/2024, 09:02 - Ben: ok\n"
            "13/05/2024, 21:03 - Ann: <Media omitted>\n"
        )
    )
    return path


def _zip(path: Path, files: Mapping[str, str]) -> Path:
    with ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def mail(folder: Path) -> Path:
    """An mbox of a thread with an answer in HTML and an attachment, another message, and a quoted From."""
    first = b"From: Ann Lee <ann@zoo.example>\nTo: ben@zoo.example\nSubject: Feeding\n"
    first += b"Date: Wed, 01 May 2024 09:00:00 +0000\nMessage-ID: <m1@zoo.example>\n\n"
    first += b"At 15:15?\n\n>From noon on.\n"
    second = b"From: ben@zoo.example\nSubject: Re: Feeding\nDate: Wed, 01 May 2024 10:00:00 +0000\n"
    second += b"Message-ID: <m2@zoo.example>\nIn-Reply-To: <m1@zoo.example>\nReferences: <m1@zoo.example>\n"
    second += b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n'
    second += b"Content-Type: text/html; charset=latin-1\n\n<p>Gr\xfcne <b>otters</b> agree.</p>\n--x\n"
    second += b'Content-Type: image/png\nContent-Disposition: attachment; filename="otter.png"\n\nxx\n--x--\n'
    third = (
        b"From: carla@zoo.example\nSubject: Keys\nDate: Thu, 02 May 2024 09:00:00 +0000\n\nAre at the gate.\n"
    )
    path = folder / "zoo.mbox"
    line = b"From - Wed May 01 09:00:00 2024\n"
    path.write_bytes(b"\n".join(line + one for one in (first, second, third)))
    return path


def letter(name: str, subject: str, id_: str, text: str, hour: int, answers: str = "") -> bytes:
    """A message of mail as programs keep it in a file of its own."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = (
        f"{name} <{name.lower()}@zoo.example>",
        "zoo@zoo.example",
        subject,
    )
    made["Date"], made["Message-ID"] = f"Wed, 01 May 2024 {hour:02}:00:00 +0000", f"<{id_}@zoo.example>"
    if answers:
        made["In-Reply-To"] = made["References"] = f"<{answers}@zoo.example>"
    made.set_content(text)
    return made.as_bytes()


def maildir(folder: Path) -> Path:
    """A Maildir of a thread: its first message is unread, its last among what was sent."""
    files = {
        "new/1714554000.M1P1.vm": letter("Ann", "Gate", "g1", "Is the gate shut?", 9),
        "cur/1714557600.M2P1.vm:2,S": letter("Ben", "Re: Gate", "g2", "Since noon.", 10, "g1"),
        ".Sent/cur/1714561200.M3P1.vm:2,S": letter("Ann", "Re: Gate", "g3", "", 11, "g2"),
    }
    for name, data in files.items():
        path = folder / "Maildir" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "Maildir"


def eml(folder: Path) -> Path:
    """A message alone, as a mail program saves it."""
    path = folder / "hello.eml"
    path.write_bytes(letter("Ann", "Hello", "h1", "The otters are well.", 9).replace(b"\n", b"\r\n"))
    return path
