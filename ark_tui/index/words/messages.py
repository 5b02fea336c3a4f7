"""The word index of messages, which come by the million, one after the other."""

from __future__ import annotations

from pathlib import Path

from ark_tui.index.words.follower import WordsFollower
from ark_tui.store import Store


class MessagesFollower(WordsFollower):
    """Catches up by larger steps than the other indexes: nothing but words is kept of a message."""

    batch = 20_000

    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__(store, folder, "messages")
