"""What was said: conversations and their latest messages, of all agents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.memory import EVERY, Conversation, Message, Scope
from ark_tui.faces.reports import charts, spans
from ark_tui.faces.reports.report import Block, Column, Figure, Section, Value, facts, paragraph, table
from ark_tui.faces.reports.sections import asked as asking

if TYPE_CHECKING:
    from ark_tui.engine import Engine

LATEST = 10_000  # messages that are looked at
SHOWN = 100
A_MADE_ID = re.compile(r"[0-9a-f]{32}")

Names = dict[tuple["Scope", str], str]


def build(engine: Engine, asked: asking.Asked) -> Section:  # noqa: ARG001 - every report is asked alike
    every = Scope(EVERY, EVERY)
    room = engine.memory.conversations
    page = room.messages(every, limit=LATEST, newest=True)
    return Section("history", "History", tuple(_blocks(room.list(every), page.messages, page.total)))


def _blocks(
    conversations: Sequence[Conversation], messages: Sequence[Message], total: int
) -> Iterator[Block]:
    names = _named(conversations)
    if not total:
        yield paragraph("Nothing has been said yet. `ark-tui history add` keeps a message.")
    elif total > len(messages):
        yield paragraph(f"The latest {len(messages):,} of {total:,} messages.")
    yield facts(("Conversations", f"{len(conversations):,}"), ("Messages", f"{total:,}"))
    if messages:
        days = sorted(Counter(one.timestamp.date() for one in messages).items())
        yield Figure("said", "Messages over time", "How many messages there were.", spans.by_day(days))
        roles = Counter(one.role for one in messages).most_common()
        yield Figure(
            "roles",
            "Who spoke",
            "How many of the messages were said by whom.",
            charts.bars([(role, count) for role, count in sorted(roles, key=lambda one: (-one[1], one[0]))]),
        )
    yield _conversations(conversations, names)
    yield _messages(messages, names)


def _named(conversations: Sequence[Conversation]) -> Names:
    """What a conversation is called: its id, or its place among them where the id was made by chance."""
    return {
        (one.scope, one.id): f"conversation {place}" if A_MADE_ID.fullmatch(one.id) else one.id
        for place, one in enumerate(conversations, start=1)
    }


def _conversations(conversations: Sequence[Conversation], names: Names) -> Block:
    return table(
        "conversations",
        "Conversations",
        [
            Column("conversation", "Conversation"),
            Column("messages", "Messages", "count"),
            Column("created", "Since", "short"),
            Column("scope", "Whose"),
        ],
        [
            (names[one.scope, one.id], one.messages, one.created.strftime("%Y-%m-%d"), one.scope.name)
            for one in conversations
        ],
    )


def _messages(messages: Sequence[Message], names: Names) -> Block:
    rows: list[tuple[Value, ...]] = [
        (
            one.timestamp.strftime("%Y-%m-%d %H:%M"),
            one.role,
            one.content,
            names.get((one.scope, one.conversation_id), one.conversation_id),
            one.sequence,
            one.scope.name,
        )
        for one in reversed(messages)
    ]
    return table(
        "messages",
        "The latest messages",
        [
            Column("at", "When", "short"),
            Column("role", "Who", "short"),
            Column("content", "What", longest=400),
            Column("conversation", "Where"),
            Column("sequence", "Place", "count", shown=False),
            Column("scope", "Whose", shown=False),
        ],
        rows,
        limit=SHOWN,
    )
