"""The word index of messages, for reading: messages as they are kept with their words, see `messages`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ark_tui.index.words.reader import Words
from ark_tui.store import conversations

if TYPE_CHECKING:
    from ark_tui.domain.memory import Message
    from ark_tui.store.found import Found

MOMENT = 4  # the place of a message's moment in its columns


class MessageWords(Words):
    """That index, for reading."""

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
