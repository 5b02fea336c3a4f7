"""The memory of a home: one family of methods each, all over the same store."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ark_tui.engine.knowledge import Knowledge

if TYPE_CHECKING:
    from ark_tui.memory.conversations import Conversations
    from ark_tui.memory.scratch import Scratch
    from ark_tui.memory.tasks import Tasks


class Memory(Knowledge):
    """What was noted, planned and said; what is known and was learned is in `Knowledge`."""

    @cached_property
    def scratch(self) -> Scratch:
        """Values by key."""
        from ark_tui.memory.scratch import Scratch

        return Scratch(self._parts.store, self._parts.settings.max_bytes)

    @cached_property
    def tasks(self) -> Tasks:
        """What is to be done."""
        from ark_tui.memory.tasks import Tasks

        return Tasks(self._parts.store, self._parts.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """What was said; and history, which is the same as a list."""
        from ark_tui.memory.conversations import Conversations

        parts = self._parts
        return Conversations(parts.store, parts.clock, parts.messages, parts.settings.max_bytes)
