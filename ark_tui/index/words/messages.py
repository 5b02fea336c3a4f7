"""The word index of messages, which come by the million, one after the other.

With a message of one chunk, as most are, lies what the store has of it: a search that finds it need not ask
the store.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.index.standing import words_version
from ark_tui.index.words.follower import WordsFollower
from ark_tui.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.documents import LiveChunk


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

    @staticmethod
    def current() -> str:
        return f"{words_version()}+messages-1"

    def prepare(self) -> None:
        _json()

    def card(self, chunk: LiveChunk) -> list[bytes]:
        if not chunk.said:
            return []
        return [_json()((chunk.document, chunk.document_id, chunk.text, *chunk.said))]
