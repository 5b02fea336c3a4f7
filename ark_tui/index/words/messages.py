"""The word index of messages, which can number in the millions.

The data of messages with one chunk (most messages) is stored in the index, so that searches need not read the
store.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import check
from ark_tui.index.words.follower import WordsFollower, facts, fields
from ark_tui.index.words.reader import Words
from ark_tui.store import Store, conversations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.memory import Message
    from ark_tui.domain.protocols import Stop
    from ark_tui.store.found import Found

MOMENT = 4  # position of the timestamp in a message's columns


class MessagesFollower(WordsFollower):
    """Catches up in larger batches than the other indexes, since messages have only a word index."""

    batch = 20_000

    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__(store, folder, "messages")
        self.writers = (self.texts,)  # one index for both texts and facts

    @staticmethod
    def current() -> str:
        return f"{WordsFollower.current()}+messages-1"

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
        """Do nothing: there are many messages, and few are deleted."""


class MessageWords(Words):
    """Reader of the message index."""

    def shown(self, chunks: Sequence[int]) -> dict[int, Found]:  # noqa: ARG002  (read from the store)
        return {}

    def messages(self, chunks: Sequence[int]) -> dict[int, Message]:
        """Messages by document number; messages with several chunks are skipped."""
        found: dict[int, Message] = {}
        for card in (self.cards(chunks) if chunks else {}).values():
            number, id_, text, *columns = json.loads(card)
            columns[MOMENT] = datetime.fromisoformat(columns[MOMENT])
            found[number] = conversations.message(columns, id_, text)
        return found
