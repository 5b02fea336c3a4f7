"""The memory of a home: one family of methods each, all over the same store."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ark_tui.domain.memory import Scope

if TYPE_CHECKING:
    from ark_tui.engine.parts import Parts
    from ark_tui.memory.conversations import Conversations
    from ark_tui.memory.items import Items
    from ark_tui.memory.scratch import Scratch
    from ark_tui.memory.tasks import Tasks


class Memory:
    """What was noted, planned, said and learned. Methods block and raise `ArkError`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def scope(self, agent: str = "", session: str = "") -> Scope:
        """The scope that is meant: the given names, else those of the settings."""
        settings = self._parts.settings
        return Scope(agent or settings.agent_id, session or settings.session_id)

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

    @cached_property
    def items(self) -> Items:
        """Memories that are no messages, each with a tier and a layer."""
        from ark_tui.engine.indexing import reading
        from ark_tui.memory.items import Items

        return Items(self._parts.store, reading(self._parts), self._parts.retention)
