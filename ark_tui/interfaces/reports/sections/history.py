"""Conversations and their latest messages, of all agents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.memory import EVERY, Scope
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import Block, Figure, facts, paragraph, table
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

LATEST = 10_000  # messages that are read
MONTHS = 24  # with messages that are drawn
RANDOM_ID = re.compile(r"[0-9a-f]{32}")

CONVERSATIONS = {"conversation": str, "messages": int, "created": str, "scope": str}
MESSAGES = {"at": str, "role": str, "content": str, "conversation": str, "sequence": int, "scope": str}


def blocks(engine: Engine, _: Asked) -> Iterator[Block]:
    every, room = Scope(EVERY, EVERY), engine.memory.conversations
    conversations, page = room.list(every), room.messages(every, limit=LATEST, newest=True)
    if not page.total:
        yield paragraph("No messages yet. `ark-tui history add` stores one.")
    elif page.total > len(page.messages):
        yield paragraph(f"The latest {len(page.messages):,} of {page.total:,} messages.")
    roles = sorted(Counter(message.role for message in page.messages).items())
    yield facts(
        ("Conversations", f"{len(conversations):,}"),
        ("Messages", f"{page.total:,}"),
        ("Roles", ", ".join(f"{count:,} by {role}" for role, count in roles)),
    )
    months = sorted(Counter(f"{message.timestamp:%Y-%m}" for message in page.messages).items())
    if months:
        yield Figure("months", "Messages by month", charts.bars(months[-MONTHS:], "time"))
    names = {
        (one.scope, one.id): f"conversation {place}" if RANDOM_ID.fullmatch(one.id) else one.id
        for place, one in enumerate(conversations, start=1)
    }
    rows = [
        (names[one.scope, one.id], one.messages, f"{one.created:%Y-%m-%d}", one.scope.name)
        for one in conversations
    ]
    yield table("conversations", "Conversations", CONVERSATIONS, rows)
    messages = [
        (
            f"{one.timestamp:%Y-%m-%d %H:%M}", one.role, one.content,
            names.get((one.scope, one.conversation_id), one.conversation_id), one.sequence, one.scope.name,
        )
        for one in reversed(page.messages)
    ]  # fmt: skip
    yield table("messages", "The latest messages", MESSAGES, messages, hidden=("sequence", "scope"))
