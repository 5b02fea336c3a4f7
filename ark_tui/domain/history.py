"""What has happened in a home, as lists show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ark_tui.domain.memory import Conversation


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as a list shows it: when something was said in it last, and how it begins."""

    conversation: Conversation
    latest: datetime
    beginning: str = ""
