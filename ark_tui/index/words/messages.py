"""The word index of messages, which come by the million, one after the other.

With a message of one chunk, as most are, lies what the store has of it: a search that finds it need not ask
the store.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import check
from ark_tui.index.standing import words_version
from ark_tui.index.words.follower import WordsFollower, facts, fields
from ark_tui.index.words.reader import Words
from ark_tui.store import Store, conversations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.memory import Message
    from ark_tui.domain.protocols import Stop
    from ark_tui.store.found import Found

MOMENT = 4  # the place of a message's moment in its columns


class MessagesFollower(WordsFollower):
    """Catches up by larger steps than the other indexes: nothing but words is kept of a message."""

    batch = 20_000

    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__(store, folder, "messages")
        self.writers = (self.texts,)  # one has both: nothing is said of messages but what they say

    @staticmethod
    def current() -> str:
        return f"{words_version()}+messages-1"

    def write(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        for chunk in batch:
            check(stop)
            if chunk.gone:
                self.texts.drop(chunk.number)
            else:
                both = fields(chunk) | facts(chunk)
                self.texts.put(chunk.number, both | {"card": self.card(chunk)})

    def card(self, chunk: LiveChunk) -> list[bytes]:
        columns = chunk.document, chunk.document_id, chunk.text, *chunk.said
        return [json.dumps(columns, default=str).encode()] if chunk.said else []

    def _drop_stale(self) -> None:
        """Nothing: of messages there are many, and few go."""


class MessageWords(Words):
    """That index, for reading: messages as they are kept with their words."""

    def shown(self, chunks: Sequence[int]) -> dict[int, Found]:  # noqa: ARG002  (the store is asked)
        return {}

    def messages(self, chunks: Sequence[int]) -> dict[int, Message]:
        """Messages by the numbers of their documents; one of several chunks is left out."""
        found: dict[int, Message] = {}
        for card in (self.cards(chunks) if chunks else {}).values():
            number, id_, text, *columns = json.loads(card)
            columns[MOMENT] = datetime.fromisoformat(columns[MOMENT])
            found[number] = conversations.message(columns, id_, text)
        return found
