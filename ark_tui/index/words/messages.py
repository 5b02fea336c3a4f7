"""The word index of messages, which come by the million, one after the other.

With a message of one chunk, as most are, lies what the store has of it: a search that finds it need not ask
the store.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import check
from ark_tui.index.standing import words_version
from ark_tui.index.words.follower import WordsFollower, facts, fields
from ark_tui.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.protocols import Stop


@cache
def _json() -> Callable[[object], bytes]:
    """JSON in a seventh of the time that Python's own takes, once it is loaded."""
    from pydantic_core import to_json

    return to_json


class MessagesFollower(WordsFollower):
    """Catches up by larger steps than the other indexes: nothing but words is kept of a message."""

    batch = 20_000

    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__(store, folder, "messages")
        self.writers = (self.texts,)  # one has both: nothing is said of messages but what they say

    @staticmethod
    def current() -> str:
        return f"{words_version()}+messages-1"

    def prepare(self) -> None:
        _json()

    def write(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        for chunk in batch:
            check(stop)
            if chunk.gone:
                self.texts.drop(chunk.number)
            else:
                both = fields(chunk) | facts(chunk)
                self.texts.put(chunk.number, both | {"card": self.card(chunk)})

    def _drop_stale(self) -> None:
        """Nothing: of messages there are many, and few go."""

    def card(self, chunk: LiveChunk) -> list[bytes]:
        if not chunk.said:
            return []
        return [_json()((chunk.document, chunk.document_id, chunk.text, *chunk.said))]
