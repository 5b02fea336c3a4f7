"""Conversations and their latest messages, of all agents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.memory import EVERY, Conversation, Message, Scope
from ark_tui.interfaces.reports import charts, figures
from ark_tui.interfaces.reports.report import Block, Column, Figure, Section, facts, listed, paragraph
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

LATEST = 10_000  # messages that are read
SHOWN = 100
A_MADE_ID = re.compile(r"[0-9a-f]{32}")

Names = dict[tuple["Scope", str], str]


def build(engine: Engine, asked: Asked) -> Section:  # noqa: ARG001 - every report is asked alike
    every = Scope(EVERY, EVERY)
    room = engine.memory.conversations
    page = room.messages(every, limit=LATEST, newest=True)
    return Section("history", "History", tuple(_blocks(room.list(every), page.messages, page.total)))


def _blocks(
    conversations: Sequence[Conversation], messages: Sequence[Message], total: int
) -> Iterator[Block]:
    names = _named(conversations)
    whose = Column("scope", "Agent, session", of=lambda one: one.scope.name)
    if not total:
        yield paragraph("No messages yet. `ark-tui history add` stores one.")
    elif total > len(messages):
        yield paragraph(f"The latest {len(messages):,} of {total:,} messages.")
    yield facts(("Conversations", f"{len(conversations):,}"), ("Messages", f"{total:,}"))
    if messages:
        months = sorted(Counter(message.timestamp.date().replace(day=1) for message in messages).items())
        yield Figure(
            "said",
            "Messages over time",
            "How many messages were stored over time.",
            figures.by_month(months),
        )
        roles = Counter(message.role for message in messages).most_common()
        yield Figure(
            "roles",
            "Messages by role",
            "How many messages each role wrote.",
            charts.bars([(role, count) for role, count in sorted(roles, key=lambda one: (-one[1], one[0]))]),
        )
    yield listed(
        "conversations",
        "Conversations",
        [
            Column("conversation", "Conversation", of=lambda one: names[one.scope, one.id]),
            Column("messages", "Messages", "count"),
            Column("created", "Since", of=lambda one: f"{one.created:%Y-%m-%d}"),
            whose,
        ],
        conversations,
    )
    yield listed(
        "messages",
        "The latest messages",
        [
            Column("at", "When", of=lambda one: f"{one.timestamp:%Y-%m-%d %H:%M}"),
            Column("role", "Who"),
            Column("content", "What", longest=400),
            Column(
                "conversation",
                "Where",
                of=lambda one: names.get((one.scope, one.conversation_id), one.conversation_id),
            ),
            Column("sequence", "Place", "count", shown=False),
            replace(whose, shown=False),
        ],
        reversed(messages),
        limit=SHOWN,
    )


def _named(conversations: Sequence[Conversation]) -> Names:
    """Names of conversations: the id, or the position if the id is random."""
    return {
        (one.scope, one.id): f"conversation {place}" if A_MADE_ID.fullmatch(one.id) else one.id
        for place, one in enumerate(conversations, start=1)
    }
