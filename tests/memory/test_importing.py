"""Chats that people have already come in: of every program that is known, and each message once."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, is_zipfile

import pytest

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.memory import Message, Scope
from ark_tui.engine import Engine
from ark_tui.memory import importing
from ark_tui.memory.chats.source import opened
from ark_tui.memory.importing import FORMATS, import_chats
from tests.cli.conftest import ark
from tests.memory import exports

__all__ = ["ark"]

HERE = Scope("default", "default")


def messages(engine: Engine, conversation: str) -> tuple[Message, ...]:
    return engine.memory.conversations.messages(HERE, conversation=conversation).messages


def told(engine: Engine, conversation: str) -> list[tuple[str, str, str]]:
    return [(one.role, one.name, one.content) for one in messages(engine, conversation)]


def test_chatgpt_comes_in_by_the_branch_that_was_shown(engine: Engine, tmp_path: Path) -> None:
    found = import_chats(engine.memory.conversations, exports.chatgpt(tmp_path), HERE)
    assert (found.format, found.messages, found.new, found.left_out) == ("ChatGPT", 4, 4, 3)
    assert told(engine, "chatgpt-c-1") == [
        ("user", "", "[image]\nWhich bird?"),
        ("assistant", "", "A raven."),
        ("tool", "python", "42"),
        ("assistant", "", "It weighs 1.2 kg."),
    ]
    first = messages(engine, "chatgpt-c-1")[0]
    assert first.timestamp == datetime(2024, 5, 1, 9, 0, 0, 500_000, tzinfo=UTC)
    assert engine.memory.conversations.list(HERE)[0].title == "Ravens"


def test_mail_comes_in_by_threads_and_again_only_what_is_new(engine: Engine, tmp_path: Path) -> None:
    found = import_chats(engine.memory.conversations, exports.mail(tmp_path), HERE)
    assert (found.format, found.conversations, found.new, found.authors) == ("mail", 2, 3, 3)
    assert told(engine, "mail-m1@zoo.example") == [
        ("user", "Ann Lee", "At 15:15?\n\nFrom noon on."),
        ("user", "ben@zoo.example", "Grüne otters agree.\n[file: otter.png]"),
    ]
    assert engine.memory.conversations.list(HERE)[0].title == "Feeding"
    assert messages(engine, "mail-m1@zoo.example")[0].timestamp == datetime(2024, 5, 1, 9, tzinfo=UTC)
    assert import_chats(engine.memory.conversations, tmp_path, HERE).new == 0


@pytest.mark.parametrize("date", ["", "yesterday", "Wed, 32 May 2024 09:00:00", "=?x?q?=00?="])
def test_a_date_that_cannot_be_read_puts_a_message_last(engine: Engine, tmp_path: Path, date: str) -> None:
    (tmp_path / "a.eml").write_bytes(
        exports.letter("Ben", "Re: Gate", "g2", "Shut.", 9, "g1").replace(
            b"Date: Wed, 01 May 2024 09:00:00 +0000", b"Date: " + date.encode()
        )
    )
    (tmp_path / "b.eml").write_bytes(exports.letter("Ann", "Gate", "g1", "Shut?", 9))
    import_chats(engine.memory.conversations, tmp_path, HERE)
    assert [one.content for one in messages(engine, "mail-g1@zoo.example")] == ["Shut?", "Shut."]


def test_claude_comes_in_with_its_attachments_and_tools(engine: Engine, tmp_path: Path) -> None:
    found = import_chats(engine.memory.conversations, exports.claude(tmp_path), HERE)
    assert (found.format, found.conversations, found.new) == ("Claude", 1, 2)
    assert told(engine, "claude-k-1") == [
        ("user", "", "Read it.\n[file: notes.txt]\nOwls hunt.\n[file: p.png]"),
        ("assistant", "", '[thinking]\nThey hunt by ear.\n[search] {"q": "owls"}\n3 hits'),
    ]


def test_sessions_of_claude_code_come_in_and_those_aside_by_themselves(
    engine: Engine, tmp_path: Path
) -> None:
    found = import_chats(engine.memory.conversations, exports.claude_code(tmp_path), HERE)
    assert (found.format, found.new) == ("Claude Code", 5)
    assert told(engine, "claude-code-s-1") == [
        ("user", "", "Plan the feeding."),
        ("assistant", "", '[Bash] {"command": "ls"}'),
        ("tool", "", "plan.md"),
        ("assistant", "", "The plan is there."),
    ]
    assert told(engine, "claude-code-s-1-a9") == [("user", "", "Count the otters.")]
    assert {one.title for one in engine.memory.conversations.list(HERE)} == {"Feeding plan"}


def test_sessions_of_codex_come_in(engine: Engine, tmp_path: Path) -> None:
    found = import_chats(engine.memory.conversations, exports.codex(tmp_path), HERE)
    assert (found.format, found.new) == ("Codex", 5)
    assert told(engine, "codex-r-1") == [
        ("developer", "", "<environment_context>\n<cwd>/srv/zoo</cwd>"),
        ("user", "", "Run it."),
        ("assistant", "", '[shell] {"command":["ls"]}'),
        ("tool", "", "plan.md"),
        ("assistant", "", "Done."),
    ]
    assert messages(engine, "codex-r-1")[3].tool_call_id == "c9"


def test_slack_comes_in_with_its_people_and_threads(engine: Engine, tmp_path: Path) -> None:
    found = import_chats(engine.memory.conversations, exports.slack(tmp_path), HERE)
    assert (found.format, found.new, found.left_out, found.authors) == ("Slack", 4, 1, 3)
    assert told(engine, "slack-C1") == [
        ("user", "ann", "@Ben Roe see the plan (https://zoo.example) & #feeding <soon>"),
        ("user", "ann", "Photo\n[file: otter.png]"),
        ("user", "Ben Roe", "Seen."),
        ("assistant", "ci", "Build 7 passed"),
    ]
    given = [one.given for one in messages(engine, "slack-C1")]
    assert given[0] is None
    assert given[2] == {"metadata": {"thread": "1714554000.000200"}}


def test_whatsapp_comes_in_with_days_and_months_told_apart(engine: Engine, tmp_path: Path) -> None:
    found = import_chats(engine.memory.conversations, exports.whatsapp(tmp_path), HERE)
    assert (found.format, found.new, found.left_out) == ("WhatsApp", 4, 1)
    assert told(engine, "whatsapp-Zoo") == [
        ("user", "Ann", "Otters at nine\nand at five"),
        ("user", "Ben", "ok"),
        ("user", "Ben", "ok"),
        ("user", "Ann", "<Media omitted>"),
    ]
    days = [one.timestamp.astimezone().date().isoformat() for one in messages(engine, "whatsapp-Zoo")]
    assert days == ["2024-05-01", "2024-05-13", "2024-05-13", "2024-05-13"]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[3/14/24, 9:05:06 PM] Ann: pi", "2024-03-14T21:05:06"),
        ("14.03.24, 21:05 - Ann: pi", "2024-03-14T21:05:00"),
        ("[14.3.2024 klo 21.05.06] Ann: pi", "2024-03-14T21:05:06"),
        ("2024/03/14, 21:05 - Ann: pi", "2024-03-14T21:05:00"),
        ("\u200e[14/03/2024, 12:05:06\u202fam] Ann: pi", "2024-03-14T00:05:06"),
    ],
)
def test_dates_of_whatsapp_are_read_as_phones_write_them(tmp_path: Path, line: str, wanted: str) -> None:
    with opened(exports.whatsapp(tmp_path, f"{line}\n")) as source:
        (chat,) = FORMATS["WhatsApp"](source)
    (said,) = chat.messages
    assert said.timestamp
    assert said.timestamp.astimezone().replace(tzinfo=None).isoformat() == wanted


@pytest.mark.parametrize(
    "make",
    [
        exports.chatgpt, exports.claude, exports.claude_code, exports.codex, exports.slack, exports.whatsapp,
        exports.mail, exports.maildir, exports.eml,
    ],
)  # fmt: skip
def test_imported_again_nothing_comes_in_twice(
    engine: Engine, tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    before = import_chats(engine.memory.conversations, path, HERE)
    again = import_chats(engine.memory.conversations, path, HERE)
    assert (again.messages, again.new, again.new_conversations) == (before.messages, 0, 0)
    assert engine.memory.conversations.messages(HERE, limit=0).total == before.new


def test_a_session_in_several_files_is_one_conversation(engine: Engine, tmp_path: Path) -> None:
    folder = exports.claude_code(tmp_path)
    (file,) = folder.rglob("*.jsonl")
    lines = file.read_text().splitlines()
    (file.parent / "a.jsonl").write_text("\n".join(lines[:5]))
    file.write_text("\n".join(lines[4:]))
    import_chats(engine.memory.conversations, folder, HERE)
    found = messages(engine, "claude-code-s-1")
    assert [one.sequence for one in found] == [1, 2, 3, 4]
    assert [one.content for one in found][:2] == ["Plan the feeding.", '[Bash] {"command": "ls"}']


def test_a_dry_run_says_what_would_come_in_and_keeps_nothing(engine: Engine, tmp_path: Path) -> None:
    said: list[str] = []
    found = import_chats(
        engine.memory.conversations, exports.slack(tmp_path), HERE, dry_run=True, say=said.append
    )
    assert (found.new, found.done, said) == (4, False, [])
    assert engine.memory.conversations.list(HERE) == ()
    import_chats(engine.memory.conversations, exports.slack(tmp_path), HERE, say=said.append)
    assert said == ["4 new messages of 4, in 1 conversation of Slack, for default/default."]


def test_an_import_that_is_killed_goes_on_where_it_was(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "AT_ONCE", 2)
    path, take = exports.slack(tmp_path), engine.memory.conversations.take
    calls: list[int] = []

    def dying(*given: object) -> int:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return take(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.memory.conversations, "take", dying)
    with pytest.raises(KeyboardInterrupt):
        import_chats(engine.memory.conversations, path, HERE)
    monkeypatch.undo()
    assert import_chats(engine.memory.conversations, path, HERE).new == 2
    assert [one.sequence for one in messages(engine, "slack-C1")] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "text", ["", "[]", "not a chat", '{"mapping": 3}', '[{"mapping": {"a": 1}}]', "[[[[[["]
)
def test_what_is_no_export_is_refused_in_a_sentence(engine: Engine, tmp_path: Path, text: str) -> None:
    for name in ("conversations.json", "a.jsonl", "b.txt"):
        (tmp_path / name).write_text(text)
        with pytest.raises(ArkError, match="No chats were found"):
            import_chats(engine.memory.conversations, tmp_path / name, HERE)
    with pytest.raises(ArkError, match="There is no"):
        import_chats(engine.memory.conversations, tmp_path / "nowhere.zip", HERE)


def _with_bad_items(export: Path, *bad: object) -> Path:
    """The same export, with items before and after its own."""
    if is_zipfile(export):
        with ZipFile(export) as packed:
            own = json.loads(packed.read("conversations.json"))
    else:
        own = json.loads(export.read_text())
    changed = export.with_name("changed.json")
    changed.write_text(json.dumps([*bad, *own, *bad]))
    return changed


@pytest.mark.parametrize("form", ["ChatGPT", "Claude"])
def test_a_conversation_that_cannot_be_read_is_reported_and_the_others_come_in(
    engine: Engine, tmp_path: Path, form: str
) -> None:
    bad: dict[str, object] = (
        {"mapping": {"a": {}}, "current_node": {}} if form == "ChatGPT" else {"chat_messages": 7}
    )
    made = exports.chatgpt(tmp_path) if form == "ChatGPT" else exports.claude(tmp_path)
    found = import_chats(engine.memory.conversations, _with_bad_items(made, bad, None), HERE)
    assert found.new
    assert len(found.problems) == 4
    assert found.problems[0].startswith("Conversation 1 of changed.json cannot be read: ")


def test_a_file_of_an_export_that_cannot_be_read_is_reported(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    with ZipFile(exports.slack(tmp_path)) as packed:
        packed.extractall(folder)
    day = next(folder.rglob("20*.json"))
    day.with_name("2031-01-01.json").write_text("7")
    found = import_chats(engine.memory.conversations, folder, HERE)
    assert found.new
    place = day.parent.relative_to(folder).as_posix()
    assert found.problems == (f"{place}/2031-01-01.json is not a list of messages",)


def test_an_archive_that_unpacks_to_far_more_than_its_size_is_refused_before_it_is_read(
    engine: Engine, tmp_path: Path
) -> None:
    bomb = tmp_path / "bomb.zip"
    with ZipFile(bomb, "w", ZIP_DEFLATED) as packed, packed.open("conversations.json", "w") as file:
        for _ in range(64):
            file.write(b" " * (1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match=r"bomb.zip is too large: conversations.json unpacks to 64 MB"):
            import_chats(engine.memory.conversations, bomb, HERE)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_an_import_of_a_folder_follows_no_link_out_of_it(engine: Engine, tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "chat.json"
    outside.parent.mkdir()
    outside.write_text('[{"role": "user", "content": "secret"}]')
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "chat.json").symlink_to(outside)
    (folder / "more").symlink_to(outside.parent)
    with pytest.raises(UsageError, match="No chats were found"):
        import_chats(engine.memory.conversations, folder, HERE)
